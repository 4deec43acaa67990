extension StrictParser {
  /// Parses a custom class, from `[` to the closing `]`.
  mutating func parseCustomClass() throws(DescriptorSyntaxError) -> PrintableCharacters {
    let opening = position
    position += 1
    let start = position
    var characters = PrintableCharacters()
    var ignored: Range<Int>?
    var hasLateHyphen = false
    while let byte = current {
      if byte == UInt8(ascii: "]") {
        position += 1
        if isAt("]") {
          position += 1
          characters.insert(byte)
        } else {
          try checkEnd(of: start..<(position - 1))
        }
        if let ignored { warn(aboutIgnored: ignored) }
        if hasLateHyphen { warn(aboutHyphensIn: opening..<position, characters) }
        return characters
      }
      if byte == UInt8(ascii: "-"), position > start {
        hasLateHyphen = true
      } else if !characters.insert(byte) {
        if let run = ignored, run.upperBound < position { warn(aboutIgnored: run) }
        let isContinued = ignored?.upperBound == position
        ignored = (isContinued ? ignored?.lowerBound ?? position : position)..<(position + 1)
      }
      position += 1
    }
    throw error("This class has no closing `]`", at: opening..<(opening + 1))
  }

  /// Throws an error if invalid text follows the class, because the class probably contains a `]`.
  private func checkEnd(of content: Range<Int>) throws(DescriptorSyntaxError) {
    var next = position
    while next < bytes.count, bytes[next].isWhitespace { next += 1 }
    guard next < bytes.count, bytes[next] != UInt8(ascii: ","), bytes[next] != UInt8(ascii: ";")
    else { return }
    throw error(
      """
      `]` ends the class here; expected `,`, `;` or the end. A literal `]` must be the last character \
      in the class, as in `[abc]]`
      """, at: content.upperBound..<position)
  }

  private mutating func warn(aboutIgnored range: Range<Int>) {
    let message = "A class can contain only printable ASCII characters; this text is ignored"
    warn(message, at: range, replace: "")
  }

  /// Warns about ineffective hyphens, and suggests named classes in place of ranges such as `a-z`.
  private mutating func warn(aboutHyphensIn range: Range<Int>, _ characters: PrintableCharacters) {
    var suggested = characters
    var hasRange = false
    let content = bytes[range].dropFirst().dropLast()
    for index in content.indices.dropFirst().dropLast() where bytes[index] == UInt8(ascii: "-") {
      switch text(index - 1..<index + 2) {
      case "A-Z": suggested = suggested.union(.upper)
      case "a-z": suggested = suggested.union(.lower)
      case "0-9": suggested = suggested.union(.digits)
      default: continue
      }
      hasRange = true
    }
    if !hasRange { suggested.insert(UInt8(ascii: "-")) }
    warn(
      "A `-` that is not the first character of the class is ignored; there are no ranges",
      at: range, replace: Alphabet.printable(suggested).classes.joinedNames)
  }
}
