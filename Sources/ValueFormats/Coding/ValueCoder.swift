import FoundationEssentials
import StorageInternals

/// A coder that converts values to stored bytes and back.
///
/// The static type determines the encoding: UTF-8 for strings, the bytes of `Data`, the absolute
/// string of a URL, 8 bytes in little-endian order for integers, the integer 0 or 1 for `Bool`, and
/// a binary property list for all other types. FTPropertyWrappers uses the same encoding.
package struct ValueCoder: Sendable {
  package init() {}

  /// Encodes a value; throws if a property list cannot represent it exactly.
  package func encode<Value: Encodable>(_ value: Value) throws(ValueCodingError) -> [UInt8] {
    // The most common type is handled without a dynamic cast.
    if Value.self == String.self { return identityCast(value, to: String.self).encodedBytes }
    guard let type = Value.self as? any ByteCodable.Type else {
      return try encodePropertyList(value)
    }
    return type.bytes(of: value)
  }

  /// Decodes a value; throws if the bytes are not a value of the type.
  package func decode<Value: Decodable>(
    _ type: Value.Type, from bytes: Span<UInt8>
  ) throws(ValueCodingError) -> Value {
    if type == String.self { return identityCast(try String(encodedBytes: bytes), to: type) }
    guard let coded = type as? any ByteCodable.Type else {
      return try decodePropertyList(type, from: bytes)
    }
    return try coded.decode(bytes, as: type)
  }

  package func decode<Value: Decodable>(
    _ type: Value.Type, from bytes: [UInt8]
  ) throws(ValueCodingError) -> Value { try decode(type, from: bytes.span) }
}

// The root of a property list must be a container. A scalar, such as a date or an enum with raw
// values, is therefore wrapped in an array of one element. A value that encodes itself as an array
// of one element is also wrapped, to distinguish the two, unless its type always encodes an array.
//
// An optional is stored as an array that is empty or contains the encoded value as `Data`, because
// a property list represents nil as the string "$null", at any depth.

extension ValueCoder {
  /// The maximum depth of nested containers; Foundation's coders overflow a stack of 8 MiB earlier.
  private static let depth = 8192

  func encodePropertyList<Value: Encodable>(_ value: Value) throws(ValueCodingError) -> [UInt8] {
    if let optional = Value.self as? any EncodableOptional.Type {
      return try optional.encode(value, by: self)
    }
    do {
      let bytes = try propertyList(of: value)
      if Value.self is any ArrayEncoded.Type || !bytes.isSingleElementArray { return bytes }
    } catch {
      // A scalar requires the array. For other values, the next attempt fails for the same reason.
    }
    do {
      return try propertyList(of: [value])
    } catch {
      throw ValueCodingError(encoding: Value.self, error, isWrappedInArray: true)
    }
  }

  func decodePropertyList<Value: Decodable>(
    _ type: Value.Type, from bytes: Span<UInt8>
  ) throws(ValueCodingError) -> Value {
    if let optional = type as? any DecodableOptional.Type {
      return try optional.decode(type, from: bytes, by: self)
    }
    var data = Data(encodedBytes: bytes)
    defer { data.wipe() }
    var checked = Array(data)
    defer { checked.wipe() }
    // The decoder also accepts text, and a password may resemble an OpenStep property list.
    let magic = BinaryObjectTable.magic
    guard checked.count > magic.count, checked.starts(with: magic) else {
      throw ValueCodingError(.notPropertyList, of: type)
    }
    do throws(FormatError) {
      try ForeignDocument.requireDecodable(propertyList: checked, depth: Self.depth)
    } catch {
      throw ValueCodingError(.notValid, of: type)
    }
    var failure: ValueCodingError?
    if checked.isSingleElementArray, !(type is any ArrayEncoded.Type) {
      do {
        return try PropertyListDecoder().decode(SingleElementArray<Value>.self, from: data).element
      } catch {
        failure = ValueCodingError(decoding: type, error, isWrappedInArray: true)
      }
    }
    do {
      return try PropertyListDecoder().decode(type, from: data)
    } catch {
      throw failure ?? ValueCodingError(decoding: type, error)
    }
  }

  private func propertyList(of value: some Encodable) throws -> [UInt8] {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    var data = try encoder.encode(value)
    defer { data.wipe() }
    let bytes = Array(data)
    if bytes.contains("$null".utf8), try hasNullString(value) {
      throw ValueCodingError.Problem.nullString
    }
    return bytes
  }

  /// Returns whether a value contains the string that represents nil in a property list.
  private func hasNullString(_ value: some Encodable) throws -> Bool {
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "", negativeInfinity: "", nan: "")
    var data = try encoder.encode(value)
    defer { data.wipe() }
    return data.contains(#""$null""#.utf8)
  }
}

/// An array of exactly one element.
private struct SingleElementArray<Element: Decodable>: Decodable {
  let element: Element

  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    element = try container.decode(Element.self)
  }
}

/// A type that always encodes itself as an array.
private protocol ArrayEncoded {}
extension Array: ArrayEncoded {}
extension ArraySlice: ArrayEncoded {}
extension ContiguousArray: ArrayEncoded {}
extension Set: ArrayEncoded {}

private protocol EncodableOptional {
  static func encode(_ value: some Any, by coder: ValueCoder) throws(ValueCodingError) -> [UInt8]
}

extension Optional: EncodableOptional where Wrapped: Encodable {
  static func encode(_ value: some Any, by coder: ValueCoder) throws(ValueCodingError) -> [UInt8] {
    guard let value = identityCast(value, to: Self.self) else {
      return try coder.encodePropertyList([Data]())
    }
    var bytes = try coder.encode(value)
    defer { bytes.wipe() }
    return try coder.encodePropertyList([Data(bytes)])
  }
}

private protocol DecodableOptional {
  static func decode<Value>(
    _ type: Value.Type, from bytes: Span<UInt8>, by coder: ValueCoder
  ) throws(ValueCodingError) -> Value
}

extension Optional: DecodableOptional where Wrapped: Decodable {
  static func decode<Value>(
    _ type: Value.Type, from bytes: Span<UInt8>, by coder: ValueCoder
  ) throws(ValueCodingError) -> Value {
    let elements: [Data]
    do {
      elements = try coder.decodePropertyList([Data].self, from: bytes)
    } catch {
      throw ValueCodingError(error.problem, of: type)
    }
    if elements.count > 1 { throw ValueCodingError(.typeMismatch, of: type) }
    let value = try elements.first.map { data throws(ValueCodingError) in
      try coder.decode(Wrapped.self, from: data.span)
    }
    return identityCast(value, to: type)
  }
}

extension [UInt8] {
  /// Whether a property list is an array of one element; the root follows the header of 8 bytes.
  fileprivate var isSingleElementArray: Bool { self[8] == 0xa1 }
}
