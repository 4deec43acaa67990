/// A parser that rejects or ignores the text that the reference parser ignores.
///
/// The reference parser is `PasswordRulesParser.js` of apple/password-manager-resources, as of
/// September 2026. The only exception is the class name `digits`, which the strict mode accepts,
/// because it once appeared in Apple's documentation.
struct DescriptorParser {
  let bytes: [UInt8]
  let isLenient: Bool
  /// The offset of the next byte, which after an invalid rule decides whether the reference parser
  /// discards the other rules.
  var position = 0
  /// The warnings, whose ranges are in bytes.
  var warnings: [DescriptorIssue] = []
  /// The rules, each with its limit as a number in JavaScript, which can exceed the range of `Int`.
  var rules: [(rule: PasswordRule, number: Double)] = []
  /// The byte ranges of all classes, in source order.
  var classRanges: [Range<Int>] = []

  /// Returns the rules that the reference parser does not discard.
  static func parseLeniently(_ descriptor: String) -> [(rule: PasswordRule, number: Double)] {
    var parser = DescriptorParser(bytes: Array(descriptor.utf8), isLenient: true)
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
    let scanned = scanName()
    guard let name = PasswordRule.Name(rawValue: scanned) else {
      if scanned.isEmpty { throw error("Expected the name of a rule, \(Self.ruleNames)") }
      let range = start..<position
      position = start
      throw error(
        "`\(Self.excerpt(scanned))` is not a rule; expected \(Self.ruleNames)", at: range,
        replace: Self.suggestion(for: scanned, among: PasswordRule.Name.allCases.map(\.rawValue)))
    }
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
    case .required: try parseClasses { .required($0) }
    case .allowed: try parseClasses { .allowed($0) }
    case .maxConsecutive: try parseLimit { .maxConsecutive($0) }
    case .maxRepeating: try parseLimit { .maxRepeating($0) }
    case .maxSequential: try parseLimit { .maxSequential($0) }
    case .minLength: try parseLimit { .minLength($0) }
    case .maxLength: try parseLimit { .maxLength($0) }
    }
  }

  private mutating func parseLimit(_ rule: (Int) -> PasswordRule) throws(PasswordRulesError) {
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
    guard let value = isLenient ? clamped : Int(text(range)) else {
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
    rules.append((rule(value), number))
  }

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
