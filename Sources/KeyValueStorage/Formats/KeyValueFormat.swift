/// How a store encodes its values.
public enum KeyValueFormat: Hashable, Sendable, CaseIterable {
  /// JSON (RFC 8259).
  case json
  /// A property list in XML, as `PropertyList-1.0.dtd` has it.
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
