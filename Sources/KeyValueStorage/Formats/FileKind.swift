/// What a file seems to be by how it begins, for a message about a file of another format.
enum FileKind: Hashable, Sendable {
  case xml
  case binaryPropertyList
  case json
  case oldPropertyList
  case utf16
  case utf32

  init?(_ file: [UInt8]) {
    if file.starts(with: "bplist".utf8) {
      self = .binaryPropertyList
    } else if file.starts(with: [0xFF, 0xFE, 0, 0]) || file.starts(with: [0, 0, 0xFE, 0xFF]) {
      self = .utf32
    } else if [[0xFF, 0xFE], [0xFE, 0xFF], [0x3C, 0], [0, 0x3C]].contains(file.prefix(2)) {
      self = .utf16
    } else {
      let hasMark = file.starts(with: [0xEF, 0xBB, 0xBF])
      let text = file.dropFirst(hasMark ? 3 : 0).drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
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
  var reason: String {
    switch self {
    case .xml: "this is XML, such as a property list in XML: open it as one"
    case .binaryPropertyList: "this is a binary property list: open it as one"
    case .json: "this looks like JSON: open it as such"
    case .oldPropertyList:
      "this looks like a property list in the old text format: convert it to XML"
    case .utf16: "this is text in UTF-16: convert it to UTF-8"
    case .utf32: "this is text in UTF-32: convert it to UTF-8"
    }
  }
}
