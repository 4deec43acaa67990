/// A writer of a text format, with each element of an array or a dictionary on a separate line.
protocol TextWriter {
  /// The indentation of each level: a byte, and the number of its repetitions.
  static var indentation: (byte: UInt8, count: Int) { get }
  /// The text between two elements.
  static var separator: String { get }

  var bytes: [UInt8] { get set }
}

extension TextWriter {
  mutating func append(_ text: String) { bytes += text.utf8 }

  /// Begins a line with the indentation of a level.
  mutating func newLine(_ depth: Int) {
    append("\n")
    let (byte, count) = Self.indentation
    bytes.append(contentsOf: repeatElement(byte, count: depth * count))
  }

  /// Writes an array or a dictionary nested in `depth` others; a closure writes each element.
  mutating func append<Element>(
    _ elements: [Element], between brackets: (open: String, close: String), within depth: Int,
    element: (inout Self, Element) throws(FormatError) -> Void
  ) throws(FormatError) {
    try FormatError.checkDepth(depth)
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
