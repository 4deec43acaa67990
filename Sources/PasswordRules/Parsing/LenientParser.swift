/// A parser that ignores invalid text in the same way as the reference parser.
///
/// The reference parser is `PasswordRulesParser.js` of apple/password-manager-resources, as of
/// September 2026.
struct LenientParser: DescriptorScanner {
  /// A rule whose limit can exceed the range of `Int`, as in JavaScript.
  enum Rule {
    case classes(PasswordRule.Name, [CharacterClass])
    case limit(PasswordRule.Name, Double)

    /// The equivalent rule, with the limit clamped to the range of `Int`.
    var rule: PasswordRule {
      switch self {
      case .classes(.required, let classes): .required(classes)
      case .classes(_, let classes): .allowed(classes)
      // `Int(exactly:)` would need the C math library, which this module does not link.
      case .limit(let name, let value): .limit(name, value < 0x1p63 ? Int(value) : .max)
      }
    }
  }

  let bytes: [UInt8]
  var position = 0

  /// Returns the rules that the reference parser does not discard.
  static func rules(in descriptor: String) -> [Rule] {
    var parser = LenientParser(bytes: Array(descriptor.utf8))
    return parser.rules()
  }

  private mutating func rules() -> [Rule] {
    var rules: [Rule] = []
    skipWhitespace()
    while let byte = current {
      // Text that is not a name ends parsing. The rules before it remain valid.
      guard byte.isNamePart else { return rules }
      if let rule = rule() { rules.append(rule) }
      skipWhitespace()
      guard let separator = current else { return rules }
      // If a rule ends with anything but a semicolon, all rules are discarded.
      guard separator == UInt8(ascii: ";") else { return [] }
      position += 1
      skipWhitespace()
    }
    return rules
  }

  /// Parses one rule, or returns nil if it is invalid.
  ///
  /// The position after an invalid rule determines whether the other rules are discarded.
  private mutating func rule() -> Rule? {
    let start = position
    guard let name = PasswordRule.Name(scanName()) else {
      position = start
      return nil
    }
    guard isAt(":") else { return nil }
    position += 1
    skipWhitespace()
    if isAtEndOfRule { return nil }
    switch name {
    case .required, .allowed: return classes().map { .classes(name, $0) }
    default: return limit().flatMap { $0 == 0 ? nil : .limit(name, $0) }
    }
  }

  private mutating func limit() -> Double? {
    var value: Double?
    while let byte = current, byte.isDigit {
      value = (value ?? 0) * 10 + Double(byte - UInt8(ascii: "0"))
      position += 1
    }
    return isAtEndOfRule ? value : nil
  }

  private mutating func classes() -> [CharacterClass]? {
    var classes: [CharacterClass] = []
    while let byte = current {
      if byte.isNamePart {
        let start = position
        guard let named = CharacterClass(named: scanName()) else {
          position = start
          return nil
        }
        classes.append(named)
      } else if byte == UInt8(ascii: "[") {
        if let custom = customClass(), !custom.isEmpty { classes.append(.custom(custom)) }
      } else {
        return nil
      }
      skipWhitespace()
      if isAtEndOfRule { return classes }
      guard isAt(",") else { return nil }
      position += 1
      skipWhitespace()
    }
    return nil
  }

  private mutating func customClass() -> PrintableCharacters? {
    position += 1
    let start = position
    var characters = PrintableCharacters()
    while let byte = current {
      if byte == UInt8(ascii: "]") {
        position += 1
        // In `]]`, the first bracket is literal.
        guard isAt("]") else { return characters }
        position += 1
        characters.insert(byte)
        return characters
      }
      // A hyphen is literal only as the first character.
      if byte != UInt8(ascii: "-") || position == start { characters.insert(byte) }
      position += 1
    }
    return nil
  }
}
