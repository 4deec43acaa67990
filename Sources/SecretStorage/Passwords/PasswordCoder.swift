import StorageInternals

/// Turns values into secrets and back.
enum PasswordCoder {
  /// - Throws: ``SecretStoreError/invalid(_:)`` when a value has no stored form.
  static func encode<Value: Encodable>(_ value: Value) throws(SecretStoreError) -> Secret {
    do throws(ValueCodingError) {
      return Secret(try ValueCoder().encode(value))
    } catch {
      // The sentence gets its period from the error that carries it.
      throw .invalid(String(error.description.dropLast()))
    }
  }

  /// - Throws: ``SecretStoreError/undecodable(_:)`` when the bytes are not those of such a value.
  static func decode<Value: Decodable>(
    _ type: Value.Type, from secret: Secret
  ) throws(SecretStoreError) -> Value {
    do throws(ValueCodingError) {
      // The span is used inside of the closure alone.
      return unsafe try secret.withUnsafeBytes { bytes throws(ValueCodingError) in
        try ValueCoder().decode(type, from: unsafe bytes.bindMemory(to: UInt8.self).span)
      }
    } catch {
      throw .undecodable("\(type)")
    }
  }
}
