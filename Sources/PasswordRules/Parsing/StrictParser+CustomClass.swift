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
        if let ignored { warn(ofIgnored: ignored) }
        if hasLateHyphen { warn(ofHyphensIn: opening..<position, characters) }
        return characters
      }
      if byte == UInt8(ascii: "-"), position > start {
        hasLateHyphen = true
      } else if !characters.insert(byte) {
        if let run = ignored, run.upperBound < position { warn(ofIgnored: run) }
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

  private mutating func warn(ofIgnored range: Range<Int>) {
    let message = "A class can contain only printable ASCII characters; this is ignored"
    warn(message, at: range, replace: "")
  }

  /// Warns of ineffective hyphens, and suggests named classes in place of ranges such as `a-z`.
  private mutating func warn(ofHyphensIn range: Range<Int>, _ characters: PrintableCharacters) {
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

/// The suggestion of a known name in place of an unknown one.
enum NameSuggestion {
  private static let synonyms: [String: String] = [
    "uppercase": "upper", "capital": "upper", "capitals": "upper", "lowercase": "lower",
    "number": "digit", "numbers": "digit", "numeric": "digit", "symbol": "special",
    "symbols": "special", "punctuation": "special", "ascii": "ascii-printable",
    "printable": "ascii-printable", "any": "unicode", "all": "unicode",
  ]

  static func rule(for name: String) -> String? {
    let folded = folded(name)
    return PasswordRule.Name.allCases.map(\.rawValue).first { Self.folded($0) == folded }
  }

  static func characterClass(for name: String) -> String? {
    let folded = folded(name)
    return synonyms[folded]
      ?? CharacterClass.names.map(\.name).first { known in
        Self.folded(known) == folded || Self.folded(known) + "s" == folded
      }
  }

  private static func folded(_ name: String) -> String { name.lowercased().filter { $0 != "-" } }
}
