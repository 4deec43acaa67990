import FoundationEssentials

/// Writes values as JSON, with two spaces of indentation for each level.
struct JSONWriter {
  var bytes: [UInt8] = []

  /// Writes a value that is in so many arrays and objects, that of the file included.
  mutating func write(_ tree: ValueTree, in depth: Int) throws(FormatError) {
    switch tree {
    case .null(let depth):
      if depth > 0 { write(text: ValueTree.text(ofNullAt: depth)) } else { write("null") }
    case .bool(let value): write(value ? "true" : "false")
    case .number(let number): try write(number)
    case .string(let text): write(text: EscapedText.escape(text))
    case .data(let data): write(text: data.base64EncodedString())
    case .date(let date): write(real: date.timeIntervalSinceReferenceDate)
    case .array(let elements):
      try write(elements, between: ("[", "]"), in: depth) { (writer, element) throws(FormatError) in
        try writer.write(element, in: depth + 1)
      }
    case .dictionary(let dictionary):
      let members = dictionary.sorted { $0.key < $1.key }
      try write(members, between: ("{", "}"), in: depth) { (writer, member) throws(FormatError) in
        writer.write(text: member.key.string)
        writer.write(": ")
        try writer.write(member.value, in: depth + 1)
      }
    }
  }

  private mutating func write(_ number: StoredNumber) throws(FormatError) {
    switch number {
    // The description of 128 bits takes several times as long.
    case .integer(let integer): write(Int(exactly: integer)?.description ?? integer.description)
    case .real(let real): write(real: real)
    case .float(let float): write(real: float)
    case .text(let spelling):
      guard JSONReader.isNumber(spelling) else {
        throw FormatError(reason: "a number is spelled as JSON has none", offset: 0)
      }
      write(spelling)
    }
  }

  private mutating func write(real: some BinaryFloatingPoint & CustomStringConvertible) {
    if real.isNaN {
      write("\"NaN\"")
    } else if real.isInfinite {
      write(real < 0 ? "\"-Infinity\"" : "\"Infinity\"")
    } else {
      write(real.description)
    }
  }

  private mutating func write<Element>(
    _ elements: [Element], between brackets: (open: String, close: String), in depth: Int,
    element: (inout JSONWriter, Element) throws(FormatError) -> Void
  ) throws(FormatError) {
    guard depth < FormatLimits.depth else { throw FormatError.tooDeep(at: 0) }
    write(brackets.open)
    for (index, value) in elements.enumerated() {
      write(index == 0 ? "\n" : ",\n")
      indent(depth + 1)
      try element(&self, value)
    }
    if !elements.isEmpty {
      write("\n")
      indent(depth)
    }
    write(brackets.close)
  }

  private mutating func indent(_ depth: Int) {
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
  }

  private mutating func write(_ text: String) {
    bytes += text.utf8
  }
}
