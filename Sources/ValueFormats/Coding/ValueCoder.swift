import FoundationEssentials

/// A coder that converts values to stored bytes and back.
///
/// The static type determines the encoding: UTF-8 for strings, the bytes of `Data`, the absolute
/// string of a URL, 8 bytes in little-endian order for integers, the integer 0 or 1 for `Bool`, and
/// a binary property list for all other types. FTPropertyWrappers uses the same encoding.
package struct ValueCoder: Sendable {
  package init() {}

  /// Encodes a value.
  ///
  /// - Throws: ``ValueCodingError``, if a property list cannot represent the value exactly.
  package func encode<Value: Encodable>(
    _ value: Value
  ) throws(ValueCodingError) -> [UInt8] {
    // The most common type is handled without a dynamic cast.
    if Value.self == String.self { return identityCast(value, to: String.self).storedBytes }
    guard let type = Value.self as? any StoredBytes.Type else {
      return try encodePropertyList(value)
    }
    return type.bytes(of: value)
  }

  /// Decodes a value.
  ///
  /// - Throws: ``ValueCodingError``, if the bytes are not a value of the type.
  package func decode<Value: Decodable>(
    _ type: Value.Type, from bytes: Span<UInt8>
  ) throws(ValueCodingError) -> Value {
    if type == String.self { return identityCast(try String(stored: bytes), to: type) }
    guard let coded = type as? any StoredBytes.Type else {
      return try decodePropertyList(type, from: bytes)
    }
    return try coded.decode(bytes, as: type)
  }

  /// Decodes a value from an array, see ``decode(_:from:)-(_,Span<UInt8>)``.
  package func decode<Value: Decodable>(
    _ type: Value.Type, from bytes: [UInt8]
  ) throws(ValueCodingError) -> Value {
    try decode(type, from: bytes.span)
  }
}
