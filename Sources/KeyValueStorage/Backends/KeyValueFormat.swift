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
    let reason: String
    do throws(ValueCodingError) {
      let tree = try TreeEncoder().encode(value)
      if case .null(depth: 0) = tree, let defaultValue = defaultValue(),
        // A default value that cannot be encoded is not nil.
        (try? TreeEncoder().encode(defaultValue)) == tree
      {
        return nil
      }
      do throws(FormatError) {
        return ArraySlice(try encode(tree))
      } catch {
        reason = error.reason
      }
    } catch {
      reason = error.reason
    }
    throw .unencodable(key: key, type: "\(Value.self)", reason: reason)
  }

  func value<Value: Decodable>(
    _ type: Value.Type, from value: EncodedValue, key: String
  ) throws(KeyValueStoreError) -> Value {
    let reason: String
    do throws(FormatError) {
      let tree = try decode(value)
      do throws(ValueCodingError) {
        return try TreeDecoder().decode(type, from: tree)
      } catch {
        reason = error.reason
      }
      // `PropertyListEncoder` represents nil as a string.
      if !(self is JSONFormat), value.contains("$null".utf8) {
        do throws(ValueCodingError) {
          return try TreeDecoder().decode(type, from: tree.withNulls)
        } catch {
          // The first error is about the value as it is.
        }
      }
    } catch {
      reason = error.reason
    }
    throw .undecodable(key: key, type: "\(type)", reason: reason)
  }
}
