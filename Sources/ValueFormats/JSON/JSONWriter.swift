import FoundationEssentials
import StorageInternals

/// A writer of JSON with an indentation of two spaces.
struct JSONWriter: TextWriter {
  static var indentation: (byte: UInt8, count: Int) { (UInt8(ascii: " "), 2) }
  static var separator: String { "," }

  var bytes: [UInt8] = []

  mutating func value(_ tree: ValueTree, within depth: Int) throws(FormatError) {
    switch tree {
    case .null(let depth):
      let escape = EscapedString.ofNull(depth: depth)
      append(depth > 0 ? "\"\(EscapedString.dollarInJSON)\(escape.dropFirst())\"" : "null")
    case .bool(let value): append(value ? "true" : "false")
    case .number(let number): try write(number)
    case .string(let string): write(string: string)
    case .data(let data): write(string: data.base64EncodedString())
    case .date(let date):
      if let text = date.iso8601 {
        write(string: text)
      } else {
        write(real: date.timeIntervalSinceReferenceDate)
      }
    case .array(let elements):
      try append(elements.map { (nil, $0) }, between: ("[", "]"), within: depth)
    case .dictionary(let members): try append(members.inOrder, between: ("{", "}"), within: depth)
    }
  }

  mutating func key(_ key: String, within depth: Int) {
    write(string: key)
    append(": ")
  }

  private mutating func write(_ number: StoredNumber) throws(FormatError) {
    switch number {
    // The description of an `Int128` takes several times as long.
    case .integer(let integer): append(Int(exactly: integer)?.description ?? integer.description)
    case .real(let real): write(real: real)
    case .float(let float): write(real: float)
    case .text(let text):
      guard JSONReader.isNumber(text) else {
        throw FormatError(reason: "a number is not valid in JSON", offset: 0)
      }
      append(text)
    }
  }

  private mutating func write(real: some BinaryFloatingPoint & CustomStringConvertible) {
    if real.isNaN {
      append("\"NaN\"")
    } else if real.isInfinite {
      append(real < 0 ? "\"-Infinity\"" : "\"Infinity\"")
    } else {
      append(real.description)
    }
  }

  /// Writes a string in quotation marks, with the escapes that JSON requires.
  mutating func write(string: String) {
    // Only the first string reserves memory; later reservations would prevent geometric growth.
    if bytes.isEmpty { bytes.reserveCapacity(string.utf8.count + 2) }
    bytes.append(UInt8(ascii: "\""))
    let span = string.utf8Span.span
    if !span.indices.contains(where: { Self.needsEscape(span[$0]) }) {
      bytes += string.utf8
    } else {
      for byte in string.utf8 {
        switch byte {
        case 0x08: append("\\b")
        case 0x09: append("\\t")
        case 0x0A: append("\\n")
        case 0x0C: append("\\f")
        case 0x0D: append("\\r")
        case ..<0x20: append("\\u\(byte.hexadecimal(digits: 4))")
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        default: bytes.append(byte)
        }
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }
}
