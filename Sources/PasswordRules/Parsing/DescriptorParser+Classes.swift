// Parsing the character classes of a rule, and warning about them.
extension DescriptorParser {
  /// Parses a list of classes, and adds the rule with a name.
  mutating func parseClasses(of name: PasswordRule.Name) throws(PasswordRulesError) {
    let first = position
    var end = position
    var union = ClassUnion()
    while true {
      let start = position
      let characterClass = try parseClass()
      end = position
      if union.isWhole {
        warn(
          """
          This class has no effect, because `\(union.alphabet.classes.joinedNames)` precedes it in \
          the list
          """, at: start..<end)
      } else if name == .allowed {
        allowedClasses.append((Alphabet(characterClass), start..<end))
      }
      union.insert(characterClass)
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
    if name == .required, union.alphabet.isEmpty {
      warn("Nothing is required, because the classes are empty", at: first..<end)
    }
    rules.append(ParsedRule(name: name, union: union))
  }

  private mutating func parseClass() throws(PasswordRulesError) -> CharacterClass {
    if isAt("[") { return .custom(try parseCustomClass()) }
    let start = position
    let key = scanName(lowercased: true)
    if let named = CharacterClass.names.first(where: { $0.key == key }) {
      return named.characterClass
    }
    let range = start..<position
    if range.isEmpty { throw error("Expected a class, \(Self.classNames), or `[`") }
    let name = text(range)
    if key == "digits".nameKey, !isLenient {
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
    let content = (opening + 1)..<(position - 1)
    var characters = PrintableCharacters()
    var hasIgnoredText = false
    var hasLateHyphen = false
    for index in content {
      if bytes[index] == UInt8(ascii: "-"), index > content.lowerBound {
        hasLateHyphen = true
      } else if !characters.insert(bytes[index]) {
        hasIgnoredText = true
      }
    }
    if hasIgnoredText {
      for range in bytes[content].indices(where: { !$0.isPrintable }).ranges {
        warn(
          "A class can contain only printable ASCII characters; this text is ignored", at: range,
          replace: "")
      }
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

  /// Warns about each allowed class that the required classes contain.
  mutating func warnAboutRequiredClasses() {
    var required = ClassUnion()
    for rule in rules where rule.name == .required { required.formUnion(rule.union) }
    if required.alphabet.isEmpty { return }
    for (alphabet, range) in allowedClasses where required.alphabet.isSuperset(of: alphabet) {
      warn(
        "This class has no effect, because characters of required classes are always allowed",
        at: range)
    }
  }

  /// Warns if the rules forbid letters only because no rule allows more than the required classes.
  mutating func warnAboutForbiddenLetters(_ ruleSet: PasswordRuleSet) {
    if ruleSet.requirements.isEmpty
      || ruleSet.alphabet.isSuperset(of: Alphabet(unionOf: [.upper, .lower]))
      || rules.contains(where: { $0.name == .allowed })
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
