extension StrictParser {
  /// Reads from `[` to the `]` that ends the class.
  mutating func parseCustomClass() throws(DescriptorSyntaxError) -> PrintableCharacters {
    let opening = position
    position += 1
    let start = position
    var characters = PrintableCharacters()
    var dropped: Range<Int>?
    var hyphens: [Int] = []
    while let byte = current {
      if byte == UInt8(ascii: "]") {
        position += 1
        if isAt("]") {
          position += 1
          characters.insert(byte)
        } else {
          try checkEnd(of: start..<(position - 1))
        }
        warn(of: hyphens, in: start..<(position - 1), characters)
        if let dropped {
          warn(
            "Only printable ASCII can be in a class; the rest is dropped", at: dropped, replace: nil)
        }
        return characters
      }
      if byte == UInt8(ascii: "-"), position > start {
        hyphens.append(position)
      } else if !characters.insert(byte) {
        dropped = (dropped?.lowerBound ?? position)..<(position + 1)
      }
      position += 1
    }
    throw error("The class that begins here has no end", at: opening..<(opening + 1))
  }

  /// A `]` in the middle ends the class too early, and what is behind it is then no rule.
  private func checkEnd(of content: Range<Int>) throws(DescriptorSyntaxError) {
    var next = position
    while next < bytes.count, bytes[next].isWhitespace { next += 1 }
    guard next < bytes.count, bytes[next] != UInt8(ascii: ","), bytes[next] != UInt8(ascii: ";")
    else { return }
    throw error(
      """
      `]` ends the class here; expected `,`, `;` or the end. To mean itself, `]` must be the last in \
      the class, as in `[abc]]`
      """, at: content.upperBound..<position)
  }

  private mutating func warn(
    of hyphens: [Int], in content: Range<Int>, _ characters: PrintableCharacters
  ) {
    guard let first = hyphens.first else { return }
    // Where the first character already is a hyphen, another one is only superfluous.
    if characters.contains("-") {
      return warn(
        "This `-` is ignored: the one at the beginning of the class is enough",
        at: first..<(first + 1), replace: "")
    }
    let range = (first - 1)..<min(first + 2, content.upperBound)
    let written = text(range)
    let named = [("a-z", "lower"), ("A-Z", "upper"), ("0-9", "digit")].first { $0.0 == written }
    let advice =
      named.map { "for the range, write the class `\($0.1)`" }
      ?? "there are no ranges; to mean itself, it must be the first in the class"
    warn("This `-` is ignored: \(advice)", at: first..<(first + 1), replace: nil)
  }
}
