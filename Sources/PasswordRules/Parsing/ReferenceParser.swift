/// A parser equivalent to the reference parser, `PasswordRulesParser.js` of
/// apple/password-manager-resources as of September 2026, which drops invalid text.
struct ReferenceParser: DescriptorReader {
  /// Numbers are unbounded: the digits have the value that JavaScript computes.
  enum Rule {
    case classes(PasswordRule.Name, [CharacterClass])
    case number(PasswordRule.Name, Double)
  }

  let bytes: [UInt8]
  var position = 0

  private init(_ descriptor: String) {
    bytes = Array(descriptor.utf8)
  }

  /// Returns the rules that the reference parser keeps.
  static func rules(in descriptor: String) -> [Rule] {
    var parser = ReferenceParser(descriptor)
    return parser.rules()
  }

  private mutating func rules() -> [Rule] {
    var rules: [Rule] = []
    skipWhitespace()
    while let byte = current {
      // Text that is not a name ends parsing, but the rules before it count.
      guard byte.isNamePart else { return rules }
      if let rule = rule() { rules.append(rule) }
      skipWhitespace()
      guard let separator = current else { return rules }
      // Any character other than a semicolon here discards all rules.
      guard separator == UInt8(ascii: ";") else { return [] }
      position += 1
      skipWhitespace()
    }
    return rules
  }

  /// Parses one rule; nil if it is dropped, and `position` then determines whether others are kept.
  private mutating func rule() -> Rule? {
    let start = position
    guard let name = PasswordRule.Name(readName()) else {
      position = start
      return nil
    }
    guard isAt(":") else { return nil }
    position += 1
    skipWhitespace()
    if isAtEndOfRule { return nil }
    switch name {
    case .required, .allowed:
      return classes().map { .classes(name, $0) }
    case .maxConsecutive, .maxRepeating, .maxSequential, .minLength, .maxLength:
      return number().flatMap { $0 == 0 ? nil : .number(name, $0) }
    }
  }

  private mutating func number() -> Double? {
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
        guard let known = CharacterClass(named: readName()) else {
          position = start
          return nil
        }
        classes.append(known)
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
        // A second bracket makes the first one literal.
        guard isAt("]") else { return characters }
        position += 1
        characters.insert(byte)
        return characters
      }
      // A hyphen is literal only in the first position.
      if byte != UInt8(ascii: "-") || position == start { characters.insert(byte) }
      position += 1
    }
    return nil
  }
}
