import FoundationEssentials

/// A writer of values in an XML property list, with the indentation of Apple's tools.
struct PropertyListMarkupWriter: TextWriter {
  static var indentation: (byte: UInt8, count: Int) { (UInt8(ascii: "\t"), 1) }
  static var separator: String { "" }

  var bytes: [UInt8] = []

  mutating func key(_ key: String, within depth: Int) {
    write(.key, string: key)
    newLine(depth)
  }

  mutating func value(_ tree: ValueTree, within depth: Int) throws(FormatError) {
    switch tree {
    case .null(let depth): write(.string, escape: EscapedString.ofNull(depth: depth))
    case .bool(let value): append(value ? "<true/>" : "<false/>")
    case .number(let number): try self.number(number)
    case .string(let string): write(.string, string: string)
    case .data(let data): write(.data, data.base64EncodedString())
    case .date(let date):
      let seconds = date.timeIntervalSinceReferenceDate
      if let text = date.iso8601 {
        // The notation of `<date>` has no fraction of a second.
        write(seconds == seconds.rounded() ? .date : .string, text)
      } else {
        write(.real, PropertyListNumber.text(ofReal: seconds))
      }
    case .array(let elements):
      let brackets = elements.isEmpty ? ("<array/>", "") : ("<array>", "</array>")
      try append(elements.map { (nil, $0) }, between: brackets, within: depth)
    case .dictionary(let members):
      let brackets = members.isEmpty ? ("<dict/>", "") : ("<dict>", "</dict>")
      try append(members.inOrder, between: brackets, within: depth)
    }
  }

  private mutating func number(_ number: StoredNumber) throws(FormatError) {
    switch try PropertyListNumber.number(number) {
    case .integer(let value): write(.integer, String(value))
    case .real(let value): write(.real, PropertyListNumber.text(ofReal: value))
    case .float(let value): write(.real, PropertyListNumber.text(ofReal: value))
    case .text(let text):
      write(PropertyListNumber.integer(text[...]) == nil ? .real : .integer, text)
    }
  }

  private mutating func write(_ element: PropertyListElement, string: String) {
    if MarkupText.allows(string) {
      write(element, string)
    } else {
      write(element, escape: EscapedString.ofForbidden(string))
    }
  }

  /// Writes an escape, marked by a CDATA section.
  private mutating func write(_ element: PropertyListElement, escape: String) {
    append("<\(element.rawValue)><![CDATA[\(escape)]]></\(element.rawValue)>")
  }

  private mutating func write(_ element: PropertyListElement, _ text: String) {
    append("<\(element.rawValue)>")
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): append("&amp;")
      case UInt8(ascii: "<"): append("&lt;")
      case UInt8(ascii: ">"): append("&gt;")
      // A reader of XML would treat an unescaped carriage return as a line ending.
      case UInt8(ascii: "\r"): append("&#13;")
      default: bytes.append(byte)
      }
    }
    append("</\(element.rawValue)>")
  }
}
