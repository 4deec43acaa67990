import ValueFormats

/// A value of a type that only the declaration of the password knows.
///
/// It allows `StoredPassword` not to be generic, which makes a get several times as fast, because
/// generic code is not specialised for calls from another module.
protocol AnyBox: AnyObject, Sendable {
  func encoded() throws(SecretStoreError) -> Secret
}

final class Box<Value: Codable & Sendable>: AnyBox {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }

  /// - Throws: ``SecretStoreError/undecodable(_:)`` if the bytes are not a valid `Value`.
  init(decoding secret: Secret) throws(SecretStoreError) {
    do throws(ValueCodingError) {
      value = unsafe try secret.withUnsafeBytes { bytes throws(ValueCodingError) in
        try ValueCoder().decode(Value.self, from: unsafe bytes.bindMemory(to: UInt8.self).span)
      }
    } catch {
      throw .undecodable("\(Value.self)")
    }
  }

  /// - Throws: ``SecretStoreError/invalid(_:)`` if the value cannot be encoded.
  func encoded() throws(SecretStoreError) -> Secret {
    do throws(ValueCodingError) {
      var bytes = try ValueCoder().encode(value)
      return Secret(wiping: &bytes)
    } catch {
      // The description of `SecretStoreError` adds a full stop.
      throw .invalid(String(error.description.dropLast()))
    }
  }
}
