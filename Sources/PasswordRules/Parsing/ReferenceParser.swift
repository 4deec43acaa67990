/// Reads a descriptor as the reference parser does, `PasswordRulesParser.js` of
/// apple/password-manager-resources as of September 2026: without a word about what it drops.
struct ReferenceParser {
  /// Numbers have no upper bound there: they are what JavaScript makes of the digits.
  enum Rule {
    case classes(PasswordRule.Name, [CharacterClass])
    case number(PasswordRule.Name, Double)
  }

  private let bytes: [UInt8]
  private var position = 0

  private init(_ descriptor: String) {
    bytes = Array(descriptor.utf8)
  }

  /// The rules that the reference parser goes on with.
  static func rules(in descriptor: String) -> [Rule] {
    var parser = ReferenceParser(descriptor)
    return parser.rules()
  }

  private mutating func rules() -> [Rule] {
    var rules: [Rule] = []
    skipWhitespace()
    while let byte = current {
      // What is no name ends the reading, but what was read before counts.
      guard byte.isNamePart else { return rules }
      if let rule = rule() { rules.append(rule) }
      skipWhitespace()
      guard let separator = current else { return rules }
      // Anything else in the place of a semicolon makes all that was read void.
      guard separator == UInt8(ascii: ";") else { return [] }
      position += 1
      skipWhitespace()
    }
    return rules
  }

  /// Nil for a rule that is dropped; where the reading stopped then decides about the others.
  private mutating func rule() -> Rule? {
    let start = position
    skipName()
    guard let name = PasswordRule.Name(bytes[start..<position]) else {
      position = start
      return nil
    }
    guard current == UInt8(ascii: ":") else { return nil }
    position += 1
    skipWhitespace()
    if current == nil || current == UInt8(ascii: ";") { return nil }
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
    return current == nil || current == UInt8(ascii: ";") ? value : nil
  }

  private mutating func classes() -> [CharacterClass]? {
    var classes: [CharacterClass] = []
    while let byte = current {
      if byte.isNamePart {
        let start = position
        skipName()
        guard let known = CharacterClass(named: bytes[start..<position]) else {
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
      if current == nil || current == UInt8(ascii: ";") { return classes }
      guard current == UInt8(ascii: ",") else { return nil }
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
        // A second one says that the first was meant as itself.
        guard current == UInt8(ascii: "]") else { return characters }
        position += 1
        characters.insert(byte)
        return characters
      }
      // A hyphen means itself in the first place alone.
      if byte != UInt8(ascii: "-") || position == start { characters.insert(byte) }
      position += 1
    }
    return nil
  }

  private mutating func skipName() {
    while let byte = current, byte.isNamePart { position += 1 }
  }

  private mutating func skipWhitespace() {
    while let byte = current, byte.isWhitespace { position += 1 }
  }

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }
}

extension UInt8 {
  /// A letter or a hyphen, of which the names of rules and classes consist.
  var isNamePart: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }

  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  /// Space, tab, line feed, carriage return, form feed.
  var isWhitespace: Bool {
    switch self {
    case 0x20, 0x09, 0x0A, 0x0C, 0x0D: true
    default: false
    }
  }
}
