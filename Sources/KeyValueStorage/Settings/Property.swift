import ValueFormats

/// The type and the default value of a property, which must not retain the store.
///
/// A store refers weakly to the properties that it checks. The references are to this object, since
/// they make each retain of their object slower, and getters retain the ``Setting``.
final class Property: Sendable {
  let key: StoredKey
  let type: Any.Type
  let defaultValue: AnyBox
  /// Decodes a value, or returns the default value for nil.
  let decode: @Sendable (EncodedValue?, MemberUsage?) throws(DecodingFailure) -> AnyBox
  /// Returns whether two values are equal, or are encoded equally if their type has no equality.
  let areEqual: @Sendable (AnyBox, AnyBox) -> Bool
  /// Whether the default value is nil, so that setting nil removes the key.
  let removesNil: Bool

  init<Value: Codable & Sendable>(_ key: String, defaultValue: Value, format: any StoredFormat) {
    self.key = StoredKey(key)
    let box = Box(defaultValue)
    self.defaultValue = box
    type = Value.self
    decode = { (encoded, usage) throws(DecodingFailure) in
      guard let encoded else { return box }
      let value = try format.value(Value.self, from: encoded, recording: usage) {
        () throws(ValueCodingError) in try TreeEncoder().encode(box.value)
      }
      return Box(value)
    }
    areEqual = { first, second in
      // The boxes of a property are created for its type.
      let first = unsafe unsafeDowncast(first, to: Box<Value>.self).value
      let second = unsafe unsafeDowncast(second, to: Box<Value>.self).value
      if let first = first as? any Equatable { return first.isEqual(to: second) }
      do {
        return try TreeEncoder().encode(first).isSameValue(as: TreeEncoder().encode(second))
      } catch {
        return false
      }
    }
    removesNil = (defaultValue as? any OptionalValue)?.isNil ?? false
  }

  /// Returns the members that the type reads of a value.
  func members(of encoded: EncodedValue) throws(DecodingFailure) -> MemberUsage {
    let usage = MemberUsage()
    _ = try decode(encoded, usage)
    return usage
  }
}

/// A value in an object, for code that is independent of the value's type.
final class Box<Value: Sendable>: Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}

/// A ``Box`` of any type.
typealias AnyBox = any AnyObject & Sendable

extension Equatable {
  fileprivate func isEqual(to other: Any) -> Bool { other as? Self == self }
}

/// An optional of any wrapped type.
private protocol OptionalValue {
  var isNil: Bool { get }
}

extension Optional: OptionalValue { fileprivate var isNil: Bool { self == nil } }
