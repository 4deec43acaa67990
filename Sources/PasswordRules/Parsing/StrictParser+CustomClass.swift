extension StrictParser {
  /// Parses from `[` to the closing `]` of the class.
  mutating func parseCustomClass() throws(DescriptorSyntaxError) -> PrintableCharacters {
    let opening = position
    position += 1
    let start = position
    var characters = PrintableCharacters()
    var dropped: Range<Int>?
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
        if let dropped { warn(ofDropped: dropped) }
        if hasLateHyphen { warn(ofHyphensIn: opening..<position, characters) }
        return characters
      }
      if byte == UInt8(ascii: "-"), position > start {
        hasLateHyphen = true
      } else if !characters.insert(byte) {
        if let run = dropped, run.upperBound < position { warn(ofDropped: run) }
        let isContinued = dropped?.upperBound == position
        dropped = (isContinued ? dropped?.lowerBound ?? position : position)..<(position + 1)
      }
      position += 1
    }
    throw error("The class that begins here has no end", at: opening..<(opening + 1))
  }

  /// Reports a `]` in the middle, which ends the class early, so that the text after it is no rule.
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

  private mutating func warn(ofDropped range: Range<Int>) {
    warn("Only printable ASCII can be in a class; this is dropped", at: range, replace: "")
  }

  /// Suggests the likely intention: named classes for ranges, and a literal hyphen.
  private mutating func warn(ofHyphensIn range: Range<Int>, _ characters: PrintableCharacters) {
    var meant = characters
    var hasRange = false
    let content = bytes[range].dropFirst().dropLast()
    for index in content.indices.dropFirst().dropLast() where bytes[index] == UInt8(ascii: "-") {
      switch text(index - 1..<index + 2) {
      case "A-Z": meant = meant.union(.upper)
      case "a-z": meant = meant.union(.lower)
      case "0-9": meant = meant.union(.digits)
      default: continue
      }
      hasRange = true
    }
    if !hasRange { meant.insert(UInt8(ascii: "-")) }
    warn(
      """
      A `-` that is not the first in the class is ignored, and there are no ranges
      """, at: range,
      replace: Alphabet.printable(meant).classes.map(\.name).joined(separator: ", "))
  }
}

extension StrictParser {
  /// Returns the issues in order, with ranges in code points instead of bytes.
  func inCodePoints(_ issues: [DescriptorIssue]) -> [DescriptorIssue] {
    var (byte, codePoint) = (0, 0)
    return issues.sorted { $0.range.lowerBound < $1.range.lowerBound }.map { issue in
      codePoint += codePointCount(in: byte..<issue.range.lowerBound)
      byte = issue.range.lowerBound
      return DescriptorIssue(
        range: codePoint..<(codePoint + codePointCount(in: issue.range)), message: issue.message,
        replacement: issue.replacement)
    }
  }

  /// Counts the bytes that do not continue a code point (RFC 3629).
  private func codePointCount(in range: Range<Int>) -> Int {
    bytes[range].count { $0 & 0b1100_0000 != 0b1000_0000 }
  }
}

/// The likely intention behind an unknown name.
enum Suggestion {
  private static let classes: [String: String] = [
    "uppercase": "upper", "capital": "upper", "capitals": "upper", "lowercase": "lower",
    "number": "digit", "numbers": "digit", "numeric": "digit", "symbol": "special",
    "symbols": "special", "punctuation": "special", "ascii": "ascii-printable",
    "printable": "ascii-printable", "any": "unicode", "all": "unicode",
  ]

  static func rule(for written: String) -> String? {
    let folded = folded(written)
    return PasswordRule.Name.allCases.map(\.rawValue).first { Self.folded($0) == folded }
  }

  static func characterClass(for written: String) -> String? {
    let folded = folded(written)
    return classes[folded]
      ?? CharacterClass.names.map(\.name).first { name in
        Self.folded(name) == folded || Self.folded(name) + "s" == folded
      }
  }

  private static func folded(_ name: String) -> String {
    name.lowercased().filter { $0 != "-" }
  }
}
