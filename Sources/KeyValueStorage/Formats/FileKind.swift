/// What a file seems to be by how it begins, for a message about a file of another format.
enum FileKind: Hashable, Sendable {
  case xml
  case binaryPropertyList
  case json
  case oldPropertyList
  case text(in: WideEncoding)

  init?(_ file: [UInt8]) {
    if file.starts(with: "bplist".utf8) {
      self = .binaryPropertyList
    } else if let encoding = WideEncoding(of: file) {
      self = .text(in: encoding)
    } else {
      let hasMark = file.starts(with: [0xEF, 0xBB, 0xBF])
      let text = file.dropFirst(hasMark ? 3 : 0).drop(while: \.isWhitespace)
      switch text.first {
      case UInt8(ascii: "<"): self = .xml
      case UInt8(ascii: "["): self = .json
      case UInt8(ascii: "{"): self = Self.usesEqualSigns(text) ? .oldPropertyList : .json
      case UInt8(ascii: "("), UInt8(ascii: "/"): self = .oldPropertyList
      default: return nil
      }
    }
  }

  /// Whether braces hold `key = value;`, as far as a glance shows.
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

  /// What to tell somebody who opened the file as one of another format.
  private var reason: String {
    switch self {
    case .xml: "this is XML, such as a property list in XML: open it as one"
    case .binaryPropertyList: "this is a binary property list: open it as one"
    case .json: "this looks like JSON: open it as such"
    case .oldPropertyList:
      "this looks like a property list in the old text format: convert it to XML"
    case .text(let encoding): "this is text in \(encoding.rawValue): convert it to UTF-8"
    }
  }

  /// Refuses a file that seems to be of a kind that is not among those given.
  static func require(_ kinds: FileKind..., of file: [UInt8]) throws(FormatError) {
    if let kind = FileKind(file), !kinds.contains(kind) {
      throw FormatError(reason: kind.reason, offset: 0)
    }
  }
}
