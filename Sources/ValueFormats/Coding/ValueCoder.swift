import FoundationEssentials
import StorageInternals

/// A coder that converts values to stored bytes and back.
///
/// As in FTPropertyWrappers, the static type determines the encoding: UTF-8 for strings, the bytes
/// of `Data`, the absolute string of a URL, 8 bytes in little-endian order for integers, the
/// integer 0 or 1 for `Bool`, and a binary property list for all other types.
package struct ValueCoder: Sendable {
  package init() {}

  /// Encodes a value; throws if a property list cannot represent it exactly.
  package func encode<Value: Encodable>(_ value: Value) throws(ValueCodingError) -> [UInt8] {
    // The most common type is handled without a dynamic cast.
    if Value.self == String.self { return identityCast(value, to: String.self).storedBytes }
    guard let type = Value.self as? any BytesEncodable.Type else {
      return try encodePropertyList(value)
    }
    return try type.bytes(of: value)
  }

  package func decode<Value: Decodable>(
    _ type: Value.Type, from bytes: Span<UInt8>
  ) throws(ValueCodingError) -> Value {
    if type == String.self { return try String.decode(bytes, as: type) }
    guard let coded = type as? any BytesDecodable.Type else {
      return try decodePropertyList(type, from: bytes)
    }
    return try coded.decode(bytes, as: type)
  }

  package func decode<Value: Decodable>(
    _ type: Value.Type, from bytes: [UInt8]
  ) throws(ValueCodingError) -> Value {
    try decode(type, from: bytes.span)
  }
}

// The root of a property list must be a container or data, so any other scalar is wrapped in an
// array. To distinguish the two, an array of one element is wrapped as well, unless its type is
// always encoded as an array.

extension ValueCoder {
  private static let format = BinaryPropertyListFormat(.foundation)

  private func encodePropertyList<Value: Encodable>(
    _ value: Value
  ) throws(ValueCodingError) -> [UInt8] {
    let tree = try TreeEncoder(.foundation).encode(value)
    let isRoot =
      switch tree {
      case .dictionary, .data: true
      case .array(let elements): elements.count != 1 || Value.self is any ArrayEncoded.Type
      default: false
      }
    return try encode(propertyList: isRoot ? tree : .array([tree]), of: Value.self)
  }

  /// Encodes a tree whose root is a container or data; `type` is the type in an error.
  package func encode(
    propertyList tree: ValueTree, of type: Any.Type = ValueTree.self
  ) throws(ValueCodingError) -> [UInt8] {
    try Self.format.encode(tree, of: type)
  }

  private func decodePropertyList<Value: Decodable>(
    _ type: Value.Type, from bytes: Span<UInt8>
  ) throws(ValueCodingError) -> Value {
    // The buffer is copied inside the closure.
    var copy = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    defer { copy.wipe() }
    let tree = try Self.format.decode(copy[...], of: type)
    let decoder = TreeDecoder(.foundation)
    guard case .array(let elements) = tree, elements.count == 1, !(type is any ArrayEncoded.Type)
    else { return try decoder.decode(type, from: tree) }
    do throws(ValueCodingError) {
      return try decoder.decode(type, from: elements[0])
    } catch {
      // FTPropertyWrappers does not wrap arrays.
      return try decoder.decode(type, from: tree)
    }
  }
}

/// A type that always encodes itself as an array.
private protocol ArrayEncoded {}
extension Array: ArrayEncoded {}
extension ArraySlice: ArrayEncoded {}
extension ContiguousArray: ArrayEncoded {}
extension Set: ArrayEncoded {}
