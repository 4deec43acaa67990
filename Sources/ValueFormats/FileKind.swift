/// The apparent format of a file, for error messages about files in an unexpected format.
enum FileKind: Hashable, Sendable {
  case xml
  case binaryPropertyList
  case json
  case openStepPropertyList
  /// A text file in an encoding other than UTF-8.
  case text(in: String)

  init?(_ file: [UInt8]) {
    if file.starts(with: BinaryObjectTable.signature) {
      self = .binaryPropertyList
    } else if let encoding = Self.wideEncoding(of: file) {
      self = .text(in: encoding)
    } else {
      let hasByteOrderMark = file.starts(with: [0xEF, 0xBB, 0xBF])
      let text = file.dropFirst(hasByteOrderMark ? 3 : 0).drop(while: \.isWhitespace)
      switch text.first {
      case UInt8(ascii: "<"): self = .xml
      case UInt8(ascii: "["): self = .json
      case UInt8(ascii: "{"): self = Self.usesEqualSigns(text) ? .openStepPropertyList : .json
      case UInt8(ascii: "("), UInt8(ascii: "/"): self = .openStepPropertyList
      default: return nil
      }
    }
  }

  /// Detects UTF-16 and UTF-32 by a byte order mark or by the zero bytes of the first character.
  ///
  /// The first two characters of JSON and XML are ASCII, so the first four bytes are sufficient.
  private static func wideEncoding(of file: [UInt8]) -> String? {
    let start = Array(file.prefix(4))
    return switch start.map({ $0 == 0 }) {
    case _ where start == [0xFF, 0xFE, 0, 0], [false, true, true, true]: "UTF-32 (little endian)"
    case _ where start == [0, 0, 0xFE, 0xFF], [true, true, true, false]: "UTF-32 (big endian)"
    case _ where start.starts(with: [0xFF, 0xFE]), [false, true, false, true]:
      "UTF-16 (little endian)"
    case _ where start.starts(with: [0xFE, 0xFF]), [true, false, true, false]: "UTF-16 (big endian)"
    default: nil
    }
  }

  /// Returns whether text in braces resembles `key = value;`.
  private static func usesEqualSigns(_ text: ArraySlice<UInt8>) -> Bool {
    var isQuoted = false
    for byte in text.prefix(4096) {
      switch byte {
      case UInt8(ascii: "\""): isQuoted.toggle()
      case UInt8(ascii: "="), UInt8(ascii: ";"): if !isQuoted { return true }
      case UInt8(ascii: ":"): if !isQuoted { return false }
      default: break
      }
    }
    return false
  }

  private var reason: String {
    switch self {
    case .xml: "the file is in XML; open it as an XML property list"
    case .binaryPropertyList: "the file is a binary property list; open it as one"
    case .json: "the file seems to be JSON; open it as JSON"
    case .openStepPropertyList:
      "the file seems to be an OpenStep property list; convert it to XML"
    case .text(let encoding): "the file is encoded in \(encoding); convert it to UTF-8"
    }
  }

  /// Throws an error if a file seems to have a format other than the given ones.
  static func require(_ kinds: FileKind..., of file: [UInt8]) throws(FormatError) {
    if let kind = FileKind(file), !kinds.contains(kind) {
      throw FormatError(reason: kind.reason, offset: 0)
    }
  }
}
