import ValueFormats

/// A value whose type only the password's declaration knows.
///
/// The surrounding code is compiled once instead of being generic. A get becomes several times as
/// fast, because generic code that an app calls in another module is not specialised.
protocol AnyBox: AnyObject, Sendable {
  func encoded() throws(SecretStoreError) -> Secret
}

final class Box<Value: Codable & Sendable>: AnyBox {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }

  /// - Throws: ``SecretStoreError/undecodable(_:)`` when the bytes are not valid for `Value`.
  init(decoding secret: Secret) throws(SecretStoreError) {
    do throws(ValueCodingError) {
      // The span is used only inside the closure.
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
      var bytes = try ValueCoder().encode(value)
      return Secret(wiping: &bytes)
    } catch {
      // The error adds the period itself.
      throw .invalid(String(error.description.dropLast()))
    }
  }
}
