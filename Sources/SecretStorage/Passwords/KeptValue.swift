import StorageInternals

/// A value of a type that only the password's declaration knows.
///
/// The code around it is compiled once instead of being generic, which makes a get several times as
/// fast: generic code that an app calls in another module is not specialised.
protocol KeptValue: AnyObject, Sendable {
  func encoded() throws(SecretStoreError) -> Secret
}

final class Kept<Value: Codable & Sendable>: KeptValue {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }

  /// - Throws: ``SecretStoreError/undecodable(_:)`` when the bytes are not those of such a value.
  init(decoding secret: Secret) throws(SecretStoreError) {
    do throws(ValueCodingError) {
      // The span is used inside of the closure alone.
      value = unsafe try secret.withUnsafeBytes { bytes throws(ValueCodingError) in
        try ValueCoder().decode(Value.self, from: unsafe bytes.bindMemory(to: UInt8.self).span)
      }
    } catch {
      throw .undecodable("\(Value.self)")
    }
  }

  /// - Throws: ``SecretStoreError/invalid(_:)`` when the value has no stored form.
  func encoded() throws(SecretStoreError) -> Secret {
    do throws(ValueCodingError) {
      return Secret(try ValueCoder().encode(value))
    } catch {
      // The sentence gets its period from the error that carries it.
      throw .invalid(String(error.description.dropLast()))
    }
  }
}
