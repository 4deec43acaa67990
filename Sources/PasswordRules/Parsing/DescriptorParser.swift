/// A rule of a descriptor.
struct ParsedRule {
  let name: PasswordRule.Name
  var union = ClassUnion()
  var limit = 0
  /// The limit as a number in JavaScript, which can exceed the range of `Int`.
  var number = 0.0
}

extension ParsedRule {
  init(_ rule: PasswordRule) {
    let (name, classes, limit) = rule.parts
    self.init(name: name, limit: limit ?? 0)
    for characterClass in classes { union.insert(characterClass) }
  }
}

/// A parser of descriptors.
///
/// The strict mode rejects the text that the reference parser ignores; the lenient mode ignores it.
/// The reference parser is `PasswordRulesParser.js` of apple/password-manager-resources, as of
/// September 2026. The only exception is the class name `digits`, which the strict mode accepts,
/// because it once appeared in Apple's documentation.
struct DescriptorParser {
  let bytes: [UInt8]
  let isLenient: Bool
  /// The offset of the next byte.
  ///
  /// After an invalid rule, this byte decides whether the reference parser discards all rules.
  var position = 0
  /// The warnings, whose ranges are in bytes.
  var warnings: [DescriptorIssue] = []
  var rules: [ParsedRule] = []
  /// The classes of the `allowed` rules and their byte ranges, in source order, except those that a
  /// class before them makes ineffective.
  var allowedClasses: [(alphabet: Alphabet, range: Range<Int>)] = []

  init(_ descriptor: String, isLenient: Bool) {
    bytes = Array(descriptor.utf8)
    self.isLenient = isLenient
    // Most descriptors have fewer.
    rules.reserveCapacity(8)
  }

  /// Returns the rules that the reference parser does not discard.
  static func parseLeniently(_ descriptor: String) -> [ParsedRule] {
    var parser = DescriptorParser(descriptor, isLenient: true)
    // In the lenient mode, no error is thrown.
    try? parser.parseRules()
    return parser.rules
  }

  mutating func parseRules() throws(PasswordRulesError) {
    skipWhitespace()
    // In the lenient mode, text that is not a name ends parsing. The rules before it remain valid.
    while let byte = current, byte.isNamePart || !isLenient {
      do throws(PasswordRulesError) {
        try parseRule()
      } catch {
        // In the lenient mode, an invalid rule is discarded.
        if !isLenient { throw error }
      }
      skipWhitespace()
      if current == nil { break }
      if !isAt(";") {
        if !isLenient { throw error("Expected `;` before the next rule", insert: ";") }
        // If a rule ends with anything but a semicolon, all rules are discarded.
        rules = []
        return
      }
      position += 1
      skipWhitespace()
    }
  }

  private mutating func parseRule() throws(PasswordRulesError) {
    if isAt(";") {
      throw error("There is no rule before this `;`", at: position..<(position + 1), replace: "")
    }
    let start = position
    let key = scanName()
    guard let index = PasswordRule.Name.keys.firstIndex(of: key) else {
      let range = start..<position
      if range.isEmpty { throw error("Expected the name of a rule, \(Self.ruleNames)") }
      let scanned = text(range)
      position = start
      throw error(
        "`\(Self.excerpt(scanned))` is not a rule; expected \(Self.ruleNames)", at: range,
        replace: Self.suggestion(for: scanned, among: PasswordRule.Name.allCases.map(\.rawValue)))
    }
    let name = PasswordRule.Name.allCases[index]
    let end = position
    skipWhitespace()
    guard isAt(":") else {
      throw error("Expected `:` after `\(name.rawValue)`", at: end, insert: ":")
    }
    if position > end {
      throw error("Unexpected space before `:`", at: end..<position, replace: "")
    }
    position += 1
    skipWhitespace()
    if isAtEndOfRule {
      warn("`\(name.rawValue)` without a value has no effect", at: start..<position)
      return
    }
    switch name {
    case .required, .allowed: try parseClasses(of: name)
    case .maxConsecutive, .maxRepeating, .maxSequential, .minLength, .maxLength:
      try parseLimit(of: name)
    }
  }

  private mutating func parseLimit(of name: PasswordRule.Name) throws(PasswordRulesError) {
    let start = position
    var number = 0.0
    while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
      number = number * 10 + Double(byte - UInt8(ascii: "0"))
      position += 1
    }
    let range = start..<position
    if range.isEmpty { throw error("Expected a number") }
    // `Int(exactly:)` would need the C math library, which this module does not link.
    let clamped = number < 0x1p63 ? Int(number) : Int.max
    // Below 2^53, the number is exact.
    guard let value = isLenient || number < 0x1p53 ? clamped : Int(text(range)) else {
      throw error("The number is greater than \(Int.max)", at: range, replace: "\(Int.max)")
    }
    let end = position
    skipWhitespace()
    if !isAtEndOfRule {
      throw error("Expected `;` or the end after the number", at: end, insert: ";")
    }
    if position > end {
      throw error("Unexpected space after the number", at: end..<position, replace: "")
    }
    if value == 0 { warn("A limit of 0 has no effect", at: range) }
    rules.append(ParsedRule(name: name, limit: value, number: number))
  }

  /// Returns a name for a message, shortened if it has more than 40 bytes.
  static func excerpt(_ name: String) -> String {
    name.utf8.count <= 40 ? name : "\(name.prefix(39))…"
  }

  private static let ruleNames = PasswordRule.Name.allCases
    .map { "`\($0.rawValue)`" }.joined(separator: ", ")
  static let classNames = CharacterClass.names
    .map { "`\($0.name)`" }.joined(separator: ", ")

  private static let synonyms: [String: String] = [
    "uppercase": "upper", "capital": "upper", "capitals": "upper", "lowercase": "lower",
    "number": "digit", "numbers": "digit", "numeric": "digit", "symbol": "special",
    "symbols": "special", "punctuation": "special", "ascii": "ascii-printable",
    "printable": "ascii-printable", "any": "unicode", "all": "unicode",
  ]

  /// Returns the name that is probably meant, or nil.
  static func suggestion(for name: String, among names: [String]) -> String? {
    let given = name.lowercased().filter { $0 != "-" }
    return names.first { candidate in
      let plain = candidate.filter { $0 != "-" }
      return [plain, plain + "s"].contains(given) || synonyms[given] == candidate
    }
  }
}

// The cursor over the UTF-8 code units of a descriptor, whose syntax is entirely ASCII.
extension DescriptorParser {
  var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  var isAtEndOfRule: Bool { current == nil || isAt(";") }

  func isAt(_ character: Unicode.Scalar) -> Bool { current == UInt8(ascii: character) }

  mutating func skipWhitespace() {
    while let byte = current, byte.isWhitespace { position += 1 }
  }

  /// Consumes the longest possible name of a rule or class, which can be empty, and returns its
  /// `nameKey`, or that of its lowercase form.
  mutating func scanName(lowercased: Bool = false) -> UInt128 {
    var key: UInt128 = 0
    var end = position
    while end < bytes.count, bytes[end].isNamePart {
      // The bit is set in each lowercase letter and in the hyphen.
      key = key << 8 | UInt128(lowercased ? bytes[end] | 0x20 : bytes[end])
      end += 1
    }
    position = end
    return key
  }
}

extension String {
  /// The last 16 bytes as a number, which is compared faster than a string.
  ///
  /// All names have fewer than 16 bytes, and no byte of a name is zero, so no other name, even a
  /// longer one, has the same key.
  var nameKey: UInt128 { utf8.reduce(0) { $0 << 8 | UInt128($1) } }
}

extension UInt8 {
  var isNamePart: Bool {
    // The bit 0x20 tells lowercase letters from uppercase ones.
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) || self == UInt8(ascii: "-")
  }

  var isWhitespace: Bool {
    switch self {
    case 0x20, 0x09, 0x0A, 0x0C, 0x0D: true
    default: false
    }
  }
}
