// The character classes of a rule, and the warnings about them.
extension DescriptorParser {
  mutating func parseClasses(
    _ rule: ([CharacterClass]) -> PasswordRule
  ) throws(PasswordRulesError) {
    let first = position
    var classes: [CharacterClass] = []
    while true {
      let start = position
      classes.append(try parseClass())
      classRanges.append(start..<position)
      skipWhitespace()
      if isAtEndOfRule { break }
      guard isAt(",") else {
        throw error("Expected `,`, `;` or the end after a class", insert: ",")
      }
      let comma = position
      position += 1
      skipWhitespace()
      if isAtEndOfRule {
        throw error("Expected a class after `,`", at: comma..<(comma + 1), replace: "")
      }
    }
    let rule = rule(classes)
    if case .required = rule, Alphabet(classes).isEmpty, let last = classRanges.last {
      warn("Nothing is required, because the classes are empty", at: first..<last.upperBound)
    }
    rules.append((rule, 0))
  }

  private mutating func parseClass() throws(PasswordRulesError) -> CharacterClass {
    if isAt("[") { return .custom(try parseCustomClass()) }
    let start = position
    let name = scanName()
    let lowercased = name.lowercased()
    if let match = CharacterClass.names.first(where: { $0.name == lowercased }) {
      return match.characterClass
    }
    let range = start..<position
    if name.isEmpty { throw error("Expected a class, \(Self.classNames), or `[`") }
    if lowercased == "digits", !isLenient {
      warn("Other parsers do not recognize `\(name)`", at: range, replace: "digit")
      return .digits
    }
    position = start
    throw error(
      "`\(Self.excerpt(name))` is not a class; expected \(Self.classNames), or `[`", at: range,
      replace: Self.suggestion(for: name, among: CharacterClass.names.map(\.name)))
  }

  private mutating func parseCustomClass() throws(PasswordRulesError) -> PrintableCharacters {
    let opening = position
    guard let bracket = bytes[opening...].firstIndex(of: UInt8(ascii: "]")) else {
      position = bytes.count
      if isLenient { return "" }
      throw error("This class has no closing `]`", at: opening..<(opening + 1))
    }
    position = bracket + 1
    if isAt("]") {
      position += 1
    } else if let next = bytes[position...].first(where: { !$0.isWhitespace }),
      next != UInt8(ascii: ","), next != UInt8(ascii: ";")
    {
      throw error(
        """
        `]` ends the class here; expected `,`, `;` or the end. A literal `]` must be the last \
        character in the class, as in `[abc]]`
        """, at: bracket..<position)
    }
    var characters = PrintableCharacters()
    var ignored = RangeSet<Int>()
    var hasLateHyphen = false
    for index in (opening + 1)..<(position - 1) {
      if bytes[index] == UInt8(ascii: "-"), index > opening + 1 {
        hasLateHyphen = true
      } else if !characters.insert(bytes[index]) {
        ignored.insert(contentsOf: index..<(index + 1))
      }
    }
    for range in ignored.ranges {
      warn(
        "A class can contain only printable ASCII characters; this text is ignored", at: range,
        replace: "")
    }
    if hasLateHyphen { warn(aboutHyphensIn: opening..<position, characters) }
    return characters
  }

  /// Suggests named classes in place of ranges such as `a-z`.
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
      at: range, replace: Alphabet(listed: suggested).classes.joinedNames)
  }

  mutating func warnAboutIneffectiveClasses() {
    let required = Alphabet(
      rules.flatMap { $0.rule.parts.name == .required ? $0.rule.parts.classes : [] })
    var ranges = classRanges.makeIterator()
    for (rule, _) in rules {
      let (name, classes, _) = rule.parts
      let isAllowed = name == .allowed && !required.isEmpty
      var absorbing: CharacterClass?
      for characterClass in classes {
        guard let range = ranges.next() else { return }
        let isRequired = isAllowed && required.isSuperset(of: Alphabet([characterClass]))
        let reason =
          absorbing.map { "`\($0.name)` precedes it in the list" }
          ?? (isRequired ? "characters of required classes are always allowed" : nil)
        if let reason { warn("This class has no effect, because \(reason)", at: range) }
        if characterClass == .asciiPrintable || characterClass == .unicode {
          absorbing = absorbing ?? characterClass
        }
      }
    }
  }

  /// Warns if the rules forbid letters only because no rule allows more than what is required.
  mutating func warnAboutForbiddenLetters(_ ruleSet: PasswordRuleSet) {
    if ruleSet.requirements.isEmpty || ruleSet.alphabet.isSuperset(of: Alphabet([.upper, .lower]))
      || rules.contains(where: { $0.rule.parts.name == .allowed })
    {
      return
    }
    let names = Self.excerpt(ruleSet.alphabet.classes.joinedNames)
    let separator = bytes.last { !$0.isWhitespace } == UInt8(ascii: ";") ? "" : "; "
    warn(
      "Only characters of the required classes are allowed: \(names)",
      at: bytes.count..<bytes.count, replace: "\(separator)allowed: ascii-printable;")
  }
}
