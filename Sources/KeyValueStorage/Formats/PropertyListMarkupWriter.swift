import FoundationEssentials

/// Writes a value as it stands in a property list in XML, indented as Apple's tools do.
struct PropertyListMarkupWriter {
  private(set) var bytes: [UInt8] = []

  mutating func key(_ key: String) {
    let isHeld = MarkupText.canHold(key)
    // Unlike a value, a key is never taken for the absence of one.
    let isMistakable = EscapedText.unescape(key) != key
    write(.key, isHeld && !isMistakable ? key : EscapedText.escape(key, needsEscape: true))
  }

  /// Writes a value that stands inside of as many arrays and dictionaries.
  mutating func value(_ tree: ValueTree, within depth: Int) throws(FormatError) {
    switch tree {
    case .null(let depth): write(.string, PropertyListText.ofNull(depth: depth))
    case .bool(let value): append(value ? "<true/>" : "<false/>")
    case .number(let number): try self.number(number)
    case .string(let text):
      write(.string, PropertyListText.of(text, isWritable: MarkupText.canHold(text)))
    case .data(let data): write(.data, data.base64EncodedString())
    case .date(let date):
      if let text = PropertyListDate.text(of: date) {
        write(.date, text)
      } else {
        write(.real, PropertyListNumber.text(ofReal: date.timeIntervalSinceReferenceDate))
      }
    case .array(let elements):
      try requireRoom(within: depth)
      if elements.isEmpty { return append("<array/>") }
      append("<array>")
      for element in elements {
        newLine(depth + 1)
        try value(element, within: depth + 1)
      }
      newLine(depth)
      append("</array>")
    case .dictionary(let elements):
      try requireRoom(within: depth)
      if elements.isEmpty { return append("<dict/>") }
      append("<dict>")
      let sorted = elements.sorted { $0.key < $1.key }
      for (key, element) in sorted {
        newLine(depth + 1)
        self.key(key.string)
        newLine(depth + 1)
        try value(element, within: depth + 1)
      }
      newLine(depth)
      append("</dict>")
    }
  }

  private mutating func number(_ number: StoredNumber) throws(FormatError) {
    switch number {
    case .integer(let value): write(.integer, String(value))
    case .real(let value): write(.real, PropertyListNumber.text(ofReal: value))
    case .float(let value):
      let text = value.isFinite ? value.description : PropertyListNumber.text(ofReal: Double(value))
      write(.real, text)
    case .text(let spelling):
      switch PropertyListNumber.number(spelling) {
      case .text(let spelling)?:
        write(PropertyListNumber.isInteger(spelling[...]) ? .integer : .real, spelling)
      case let number?: try self.number(number)
      case nil:
        throw FormatError(reason: "a number is spelled as property lists have none", offset: 0)
      }
    }
  }

  private func requireRoom(within depth: Int) throws(FormatError) {
    guard depth < FormatLimits.depth else { throw FormatError.tooDeep(at: 0) }
  }

  mutating func newLine(_ depth: Int) {
    append("\n")
    bytes.append(contentsOf: repeatElement(UInt8(ascii: "\t"), count: depth))
  }

  private mutating func write(_ element: PropertyListElement, _ text: String) {
    append("<\(element.rawValue)>")
    MarkupText.write(text, to: &bytes)
    append("</\(element.rawValue)>")
  }

  mutating func append(_ text: String) {
    bytes.append(contentsOf: text.utf8)
  }
}
