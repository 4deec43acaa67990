import FoundationEssentials

/// Turns values into the bytes that a store keeps, and back.
///
/// The static type decides on the form: strings are UTF-8, `Data` is itself, a URL is its absolute
/// string, integers are 8 bytes with the lowest first, `Bool` is the integer 0 or 1, and everything
/// else is a binary property list. FTPropertyWrappers writes the same bytes.
package struct ValueCoder: Sendable {
  package init() {}

  /// - Throws: ``ValueCodingError`` when a property list cannot hold the value exactly.
  package func encode<Value: Encodable>(
    _ value: Value
  ) throws(ValueCodingError) -> [UInt8] {
    if Value.self == String.self {
      return Array(same(value, as: String.self).utf8)
    }
    if Value.self == Data.self {
      return Array(same(value, as: Data.self))
    }
    if Value.self == Bool.self {
      return Int(same(value, as: Bool.self) ? 1 : 0).storedBytes
    }
    if Value.self == URL.self {
      return Array(same(value, as: URL.self).absoluteString.utf8)
    }
    if let type = Value.self as? any StoredInteger.Type {
      return storedBytes(of: value, as: type)
    }
    return try encodePropertyList(value)
  }

  /// - Throws: ``ValueCodingError`` when the bytes are not those of a value of this type.
  package func decode<Value: Decodable>(
    _ type: Value.Type, from bytes: Span<UInt8>
  ) throws(ValueCodingError) -> Value {
    if Value.self == String.self {
      return same(try text(in: bytes, of: type), as: Value.self)
    }
    if Value.self == Data.self {
      return same(bytes.data, as: Value.self)
    }
    if Value.self == Bool.self {
      switch try Int.stored(in: bytes) {
      case 0: return same(false, as: Value.self)
      case 1: return same(true, as: Value.self)
      default: throw ValueCodingError(.notBoolean, of: type)
      }
    }
    if Value.self == URL.self {
      // What URL would have to escape was not written by one.
      let string = try text(in: bytes, of: type)
      guard let url = URL(string: string, encodingInvalidCharacters: false) else {
        throw ValueCodingError(.notURL, of: type)
      }
      return same(url, as: Value.self)
    }
    if let integer = Value.self as? any StoredInteger.Type {
      return try stored(integer, in: bytes)
    }
    return try decodePropertyList(type, from: bytes)
  }

  /// Decodes from an array, see ``decode(_:from:)-(_,Span<UInt8>)``.
  package func decode<Value: Decodable>(
    _ type: Value.Type, from bytes: [UInt8]
  ) throws(ValueCodingError) -> Value {
    try decode(type, from: bytes.span)
  }

  private func text<Value>(
    in bytes: Span<UInt8>, of type: Value.Type
  ) throws(ValueCodingError) -> String {
    do {
      // Twice as fast as `String(validating:as:)`.
      return String(copying: try UTF8Span(validating: bytes))
    } catch {
      throw ValueCodingError(.notUTF8, of: type)
    }
  }

  private func storedBytes<Integer: StoredInteger>(
    of value: some Any, as type: Integer.Type
  ) -> [UInt8] {
    same(value, as: type).storedBytes
  }

  private func stored<Integer: StoredInteger, Value>(
    _ type: Integer.Type, in bytes: Span<UInt8>
  ) throws(ValueCodingError) -> Value {
    same(try type.stored(in: bytes), as: Value.self)
  }
}

/// A value under the other name that its type has in generic code.
///
/// Dynamic casts cost more than all the rest of decoding a short string, and a call to this from
/// generic code still a third of it.
@inlinable @inline(__always)
package func same<Value, Same>(_ value: consuming Value, as type: Same.Type) -> Same {
  if Value.self != type { fatalError("\(Value.self) is not \(type).") }
  // The types are equal, so nothing is reinterpreted.
  return unsafe unsafeBitCast(value, to: type)
}

extension Span<UInt8> {
  var data: Data {
    // The buffer is copied inside the closure.
    unsafe withUnsafeBufferPointer { unsafe Data(buffer: $0) }
  }
}
