import ValueFormats

/// The encoding of a store's values.
public enum KeyValueFormat: Hashable, Sendable, CaseIterable {
  /// JSON (RFC 8259).
  case json
  /// A property list in XML, as defined by `PropertyList-1.0.dtd`.
  case xmlPropertyList
  /// A binary property list, version 00.
  case binaryPropertyList
}

extension KeyValueFormat {
  var coding: any StoredFormat {
    switch self {
    case .json: JSONFormat()
    case .xmlPropertyList: XMLPropertyListFormat()
    case .binaryPropertyList: BinaryPropertyListFormat()
    }
  }
}

/// The encodings of a property list.
public enum PropertyListFormat: Hashable, Sendable, CaseIterable {
  /// Text that people can edit.
  case xml
  /// The compact form; unlike XML, it stores dates with fractions of a second as dates.
  case binary
}

/// The bytes of a value in a format, such as `0.8` or `{"name": "x"}` in JSON.
public typealias EncodedValue = ArraySlice<UInt8>
