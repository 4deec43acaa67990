/// A writer of a text format, with a line for each element of an array or a dictionary.
protocol TextWriter {
  /// The indentation for each level: so many of this byte.
  static var indentation: (byte: UInt8, count: Int) { get }
  /// The text between two elements.
  static var separator: String { get }

  var bytes: [UInt8] { get set }
}

extension TextWriter {
  mutating func append(_ text: String) { bytes += text.utf8 }

  mutating func newLine(_ depth: Int) {
    append("\n")
    let indentation = Self.indentation
    bytes.append(
      contentsOf: repeatElement(indentation.byte, count: depth * indentation.count))
  }

  /// Writes an array or a dictionary inside of `depth` others, with a closure for an element.
  mutating func append<Element>(
    _ elements: [Element], between brackets: (open: String, close: String), within depth: Int,
    element: (inout Self, Element) throws(FormatError) -> Void
  ) throws(FormatError) {
    try FormatError.requireRoom(within: depth)
    append(brackets.open)
    for (index, value) in elements.enumerated() {
      if index > 0 { append(Self.separator) }
      newLine(depth + 1)
      try element(&self, value)
    }
    if !elements.isEmpty { newLine(depth) }
    append(brackets.close)
  }
}
