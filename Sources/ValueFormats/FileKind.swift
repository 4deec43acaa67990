/// The apparent format of a file, for reading documents of any format and for explaining errors.
enum FileKind: Hashable, Sendable {
  case xml
  case binaryPropertyList
  /// JSON, or an OpenStep property list, which can begin like JSON.
  case json
  /// Text in UTF-16 or UTF-32.
  case wideText

  /// Determines the format from the first bytes of a file; returns nil if they match none.
  init?(_ file: [UInt8]) {
    if file.starts(with: BinaryObjectTable.signature) {
      self = .binaryPropertyList
    } else if file.starts(with: [0xFF, 0xFE]) || file.starts(with: [0xFE, 0xFF])
      // The first two characters of JSON and XML are ASCII.
      || 2...3 ~= file.prefix(4).count(where: { $0 == 0 })
    {
      self = .wideText
    } else {
      let hasByteOrderMark = file.starts(with: [0xEF, 0xBB, 0xBF])
      let text = file.dropFirst(hasByteOrderMark ? 3 : 0).drop(while: \.isWhitespace)
      switch text.first {
      // A conflict marker of Git is in no format.
      case UInt8(ascii: "<") where !text.starts(with: "<<<<<<<".utf8): self = .xml
      case UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "/"): self = .json
      default: return nil
      }
    }
  }

  /// The reason for rejecting a file of this kind, as a clause.
  private var reason: String {
    switch self {
    case .xml: "the file is in XML; open it as an XML property list"
    case .binaryPropertyList: "the file is a binary property list; open it as one"
    case .json:
      """
      the file seems to be JSON or an OpenStep property list; open it as JSON, or convert it to XML
      """
    case .wideText: "the file is encoded in UTF-16 or UTF-32; convert it to UTF-8"
    }
  }

  static func require(_ expected: FileKind, of file: [UInt8]) throws(FormatError) {
    if let kind = FileKind(file), kind != expected {
      throw FormatError(reason: kind.reason, offset: 0)
    }
  }
}
