/// The apparent format of a file, for error messages about files in an unexpected format.
enum FileKind: Hashable, Sendable {
  case xml
  case binaryPropertyList
  /// JSON, or an OpenStep property list, which can begin like it.
  case json
  /// Text in UTF-16 or UTF-32.
  case wideText

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
      switch file.dropFirst(hasByteOrderMark ? 3 : 0).first(where: { !$0.isWhitespace }) {
      case UInt8(ascii: "<"): self = .xml
      case UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "/"): self = .json
      default: return nil
      }
    }
  }

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

  /// Throws an error if a file seems to have another format.
  static func require(_ expected: FileKind, of file: [UInt8]) throws(FormatError) {
    if let kind = FileKind(file), kind != expected {
      throw FormatError(reason: kind.reason, offset: 0)
    }
  }
}
