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
  /// Encodes a value; returns nil if the value and the default value are both encoded as nil.
  func encode<Value: Encodable>(
    _ value: Value, key: String, default defaultValue: @autoclosure () -> Value? = nil
  ) throws(KeyValueStoreError) -> EncodedValue? {
    do throws(ValueCodingError) {
      let tree = try TreeEncoder().encode(value)
      if case .null(depth: 0) = tree, let defaultValue = defaultValue(),
        // A default value that cannot be encoded is not nil.
        (try? TreeEncoder().encode(defaultValue)) == tree
      {
        return nil
      }
      return ArraySlice(try encode(tree, of: Value.self))
    } catch {
      throw .unencodable(key: key, type: "\(Value.self)", reason: error.reason)
    }
  }

  /// Decodes a value of the given type; `key` is its key in an error.
  func value<Value: Decodable>(
    _ type: Value.Type, from value: EncodedValue, key: String
  ) throws(KeyValueStoreError) -> Value {
    do throws(DecodingFailure) {
      return try decoded(type, from: value, key: key)
    } catch {
      throw error.error()
    }
  }

  /// Decodes a value of the given type, with an error whose place can be found.
  ///
  /// A missing member of a structure is taken from `defaults`, the tree of a default value.
  func decoded<Value: Decodable>(
    _ type: Value.Type, from value: EncodedValue, key: String, defaults: ValueTree? = nil
  ) throws(DecodingFailure) -> Value {
    func part(_ location: FilePart.Location) -> FilePart {
      FilePart(key: StoredKey(key), value: value, location: location)
    }
    let tree: ValueTree
    do throws(FormatError) {
      tree = try decode(value)
    } catch {
      throw DecodingFailure(
        part: part(.offset(error.offset, first: error.firstOffset)), type: "\(type)",
        keyPath: [ValueStep]().keyPath(from: key), found: nil, reason: error.reason)
    }
    do throws(InvalidValue) {
      do throws(InvalidValue) {
        return try TreeDecoder().decodeSetting(
          type, from: tree, size: value.count, defaults: defaults)
      } catch {
        // `PropertyListEncoder` represents nil as a string.
        guard !(self is JSONFormat), value.contains("$null".utf8) else { throw error }
        return try TreeDecoder().decodeSetting(
          type, from: tree.withNulls, size: value.count, defaults: defaults)
      }
    } catch {
      throw DecodingFailure(
        part: part(.value(error.path)), type: "\(type)", keyPath: error.path.keyPath(from: key),
        found: error.found, reason: error.reason)
    }
  }
}

/// A failure to decode a setting, with the invalid part.
struct DecodingFailure: Error {
  let part: FilePart
  let type: String
  let keyPath: String
  let found: String?
  let reason: String

  /// Returns the error for the failure, with its place if it is known.
  func error(at place: FileBackend.PartPlace? = nil) -> KeyValueStoreError {
    .undecodable(
      UndecodableValue(
        key: part.key.string, type: type, reason: reason.naming(place?.first), keyPath: keyPath,
        found: found, place: place?.place))
  }
}
