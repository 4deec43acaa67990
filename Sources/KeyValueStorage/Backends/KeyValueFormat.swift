import ValueFormats

/// The encoding of a store's values.
public enum KeyValueFormat: Hashable, Sendable, CaseIterable {
  /// JSON (RFC 8259).
  case json
  /// A property list in XML, which people can edit, as defined by `PropertyList-1.0.dtd`.
  case xml
  /// A binary property list, version 00; unlike XML, it stores dates with fractions of a second as
  /// dates.
  case binary

  var coding: any StoredFormat {
    switch self {
    case .json: JSONFormat()
    case .xml: XMLPropertyListFormat()
    case .binary: BinaryPropertyListFormat()
    }
  }
}

extension StoredFormat {
  func bytes<Value: Encodable>(of value: Value, key: String) throws(KeyValueStoreError) -> [UInt8] {
    try bytes(of: try tree(of: value, key: key), type: Value.self, key: key)
  }

  func bytes(
    of tree: ValueTree, type: Any.Type, key: String
  ) throws(KeyValueStoreError) -> [UInt8] {
    do {
      return try encode(tree)
    } catch {
      throw .unencodable(key: key, type: "\(type)", reason: error.reason)
    }
  }

  func tree<Value: Encodable>(
    of value: Value, key: String
  ) throws(KeyValueStoreError) -> ValueTree {
    do {
      return try TreeEncoder().encode(value)
    } catch {
      throw .unencodable(key: key, type: "\(Value.self)", reason: error.reason)
    }
  }

  func tree(
    _ value: EncodedValue, type: Any.Type, key: String
  ) throws(KeyValueStoreError) -> ValueTree {
    do {
      return try decode(value)
    } catch {
      throw .undecodable(key: key, type: "\(type)", reason: error.reason)
    }
  }

  func value<Value: Decodable>(
    _ type: Value.Type, from value: EncodedValue, key: String
  ) throws(KeyValueStoreError) -> Value {
    let tree = try tree(value, type: type, key: key)
    let failure: ValueCodingError
    do {
      return try TreeDecoder().decode(type, from: tree)
    } catch {
      failure = error
    }
    // `PropertyListEncoder` represents nil as a string.
    if !(self is JSONFormat), value.contains("$null".utf8) {
      do {
        return try TreeDecoder().decode(type, from: tree.withNulls)
      } catch {
        // The first error is about the value as it is.
      }
    }
    throw .undecodable(key: key, type: "\(type)", reason: failure.reason)
  }
}
