/// A parser that rejects all text that the reference parser would ignore.
///
/// The only exception is the class name `digits`, which is common because it once appeared in
/// Apple's documentation.
struct StrictParser: DescriptorScanner {
  let bytes: [UInt8]
  var position = 0
  /// The warnings, whose ranges are in bytes.
  var warnings: [DescriptorIssue] = []
  private var rules: [PasswordRule] = []
  /// The byte ranges of all classes, in source order.
  private var classRanges: [Range<Int>] = []

  static func parse(
    _ descriptor: String
  ) throws(DescriptorSyntaxError) -> (rules: PasswordRuleSet, warnings: [DescriptorIssue]) {
    var parser = StrictParser(bytes: Array(descriptor.utf8))
    do throws(DescriptorSyntaxError) {
      try parser.parseRules()
    } catch {
      throw DescriptorSyntaxError(issue: parser.inCodePoints([error.issue])[0])
    }
    parser.warnAboutIneffectiveClasses()
    let rules = PasswordRuleSet(parser.rules)
    parser.warnAboutForbiddenLetters(rules)
    return (rules, parser.inCodePoints(parser.warnings))
  }

  private mutating func parseRules() throws(DescriptorSyntaxError) {
    skipWhitespace()
    while current != nil {
      try parseRule()
      skipWhitespace()
      if current == nil { break }
      guard isAt(";") else { throw error("Expected `;` before the next rule", insert: ";") }
      position += 1
      skipWhitespace()
    }
  }

  private mutating func parseRule() throws(DescriptorSyntaxError) {
    if isAt(";") {
      throw error("There is no rule before this `;`", at: position..<(position + 1), replace: "")
    }
    let start = position
    guard let name = PasswordRule.Name(scanName()) else {
      let name = text(start..<position)
      if name.isEmpty { throw error("Expected the name of a rule, \(Self.ruleNames)") }
      throw error(
        "`\(Self.excerpt(name))` is not a rule; expected \(Self.ruleNames)", at: start..<position,
        replace: NameSuggestion.rule(for: name))
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
      warn("`\(name.rawValue)` without a value has no effect", at: start..<position, replace: nil)
      return
    }
    switch name {
    case .required: try parseClasses { .required($0) }
    case .allowed: try parseClasses { .allowed($0) }
    default: try parseLimit(name)
    }
  }

  private mutating func parseLimit(_ name: PasswordRule.Name) throws(DescriptorSyntaxError) {
    let start = position
    var value: Int? = 0
    while let byte = current, byte.isDigit {
      value = value?.appending(byte - UInt8(ascii: "0"))
      position += 1
    }
    let range = start..<position
    if range.isEmpty { throw error("Expected a number") }
    guard let value else {
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
    if value == 0 { warn("A limit of 0 has no effect", at: range, replace: nil) }
    rules.append(.limit(name, value))
  }

  private mutating func parseClasses(
    _ rule: ([CharacterClass]) -> PasswordRule
  ) throws(DescriptorSyntaxError) {
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
      warn(
        "Nothing is required, because the classes are empty", at: first..<last.upperBound,
        replace: nil)
    }
    rules.append(rule)
  }

  private mutating func parseClass() throws(DescriptorSyntaxError) -> CharacterClass {
    if isAt("[") { return .custom(try parseCustomClass()) }
    let start = position
    if let named = CharacterClass(named: scanName()) { return named }
    let name = text(start..<position)
    if name.isEmpty { throw error("Expected a class, \(Self.classNames), or `[`") }
    if name.lowercased() == "digits" {
      warn("Other parsers do not recognize `\(name)`", at: start..<position, replace: "digit")
      return .digits
    }
    throw error(
      "`\(Self.excerpt(name))` is not a class; expected \(Self.classNames), or `[`",
      at: start..<position, replace: NameSuggestion.characterClass(for: name))
  }

  /// Warns about classes that have no effect because of an earlier class or the requirements.
  private mutating func warnAboutIneffectiveClasses() {
    let required = Alphabet(
      rules.flatMap { rule -> [CharacterClass] in
        if case .required(let classes) = rule { classes } else { [] }
      })
    var ranges = classRanges.makeIterator()
    for rule in rules {
      let (classes, isAllowed): ([CharacterClass], Bool) =
        switch rule {
        case .required(let classes): (classes, false)
        case .allowed(let classes): (classes, !required.isEmpty)
        default: ([], false)
        }
      var absorbing: CharacterClass?
      for characterClass in classes {
        guard let range = ranges.next() else { return }
        if let absorbing {
          warn(
            "This class has no effect, because `\(absorbing.name)` precedes it in the list",
            at: range, replace: nil)
        } else if isAllowed, required.isSuperset(of: Alphabet([characterClass])) {
          warn(
            "This class has no effect, because characters of required classes are always allowed",
            at: range, replace: nil)
        }
        if characterClass == .asciiPrintable || characterClass == .unicode {
          absorbing = absorbing ?? characterClass
        }
      }
    }
  }

  /// Warns if the rules forbid letters only because no rule allows more than what is required.
  private mutating func warnAboutForbiddenLetters(_ ruleSet: PasswordRuleSet) {
    if ruleSet.requirements.isEmpty || ruleSet.alphabet.isSuperset(of: Alphabet([.upper, .lower]))
      || rules.contains(where: { $0.parts.name == .allowed })
    {
      return
    }
    let names = Self.excerpt(ruleSet.alphabet.classes.joinedNames)
    let separator = bytes.last { !$0.isWhitespace } == UInt8(ascii: ";") ? "" : "; "
    warn(
      "Only characters of the required classes are allowed: \(names)",
      at: bytes.count..<bytes.count, replace: "\(separator)allowed: ascii-printable;")
  }

  /// Returns a name, or the beginning of a long one.
  private static func excerpt(_ name: String) -> String {
    name.utf8.count <= 40 ? name : "\(name.prefix(39))…"
  }

  private static let ruleNames = PasswordRule.Name.allCases
    .map { "`\($0.rawValue)`" }.joined(separator: ", ")
  private static let classNames = CharacterClass.names
    .map { "`\($0.name)`" }.joined(separator: ", ")
}

extension StrictParser {
  /// Returns the text in a range of bytes.
  func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  mutating func warn(_ message: String, at range: Range<Int>, replace replacement: String?) {
    warnings.append(DescriptorIssue(range: range, message: message, replacement: replacement))
  }

  func error(
    _ message: String, at range: Range<Int>, replace replacement: String? = nil
  ) -> DescriptorSyntaxError {
    DescriptorSyntaxError(
      issue: DescriptorIssue(range: range, message: message, replacement: replacement))
  }

  /// Returns an error about missing text, or about an invisible character that follows.
  func error(
    _ message: String, at offset: Int? = nil, insert text: String? = nil
  ) -> DescriptorSyntaxError {
    let offset = offset ?? position
    return invisibleCharacterError ?? error(message, at: offset..<offset, replace: text)
  }

  /// An error if the next character is invisible, or a space that the language does not allow.
  private var invisibleCharacterError: DescriptorSyntaxError? {
    let start = position
    let character = String(decoding: bytes[start..<min(start + 4, bytes.count)], as: UTF8.self)
    guard let scalar = character.unicodeScalars.first else { return nil }
    let properties = scalar.properties
    let isInvisible =
      [.control, .format].contains(properties.generalCategory) || properties.isWhitespace
      || scalar == "\u{FFFD}"
    guard isInvisible, !scalar.isASCII || !UInt8(ascii: scalar).isWhitespace else { return nil }
    return error(
      "\(scalar.codePoint) is not a valid space", at: start..<(start + UTF8.width(scalar)),
      replace: "")
  }

  /// Returns the issues in the order of their positions, with ranges in code points.
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

  /// Returns the number of code points, which is the number of bytes that begin one (RFC 3629).
  private func codePointCount(in range: Range<Int>) -> Int {
    bytes[range].count { $0 & 0b1100_0000 != 0b1000_0000 }
  }
}

/// Suggestions of valid names in place of invalid ones.
private enum NameSuggestion {
  private static let synonyms: [String: String] = [
    "uppercase": "upper", "capital": "upper", "capitals": "upper", "lowercase": "lower",
    "number": "digit", "numbers": "digit", "numeric": "digit", "symbol": "special",
    "symbols": "special", "punctuation": "special", "ascii": "ascii-printable",
    "printable": "ascii-printable", "any": "unicode", "all": "unicode",
  ]

  static func rule(for name: String) -> String? {
    let normalized = normalized(name)
    return PasswordRule.Name.allCases.map(\.rawValue).first { Self.normalized($0) == normalized }
  }

  static func characterClass(for name: String) -> String? {
    let normalized = normalized(name)
    return synonyms[normalized]
      ?? CharacterClass.names.map(\.name).first { candidate in
        ["", "s"].contains { Self.normalized(candidate) + $0 == normalized }
      }
  }

  /// Returns a name in lowercase, without hyphens.
  private static func normalized(_ name: String) -> String {
    name.lowercased().filter { $0 != "-" }
  }
}

extension Int {
  /// Returns the number with a decimal digit appended, or nil if the result overflows.
  fileprivate func appending(_ digit: UInt8) -> Int? {
    let (tens, isOver) = multipliedReportingOverflow(by: 10)
    let (sum, isOverNow) = tens.addingReportingOverflow(Int(digit))
    return isOver || isOverNow ? nil : sum
  }
}

extension Unicode.Scalar {
  /// The code point in the notation of Unicode, such as "U+00A0".
  package var codePoint: String {
    let digits = String(value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}

/// An error in a descriptor, or a part whose meaning differs from its appearance.
public struct DescriptorIssue: Hashable, Sendable {
  /// The range of the text, in Unicode code points from the start; empty if text is missing.
  public let range: Range<Int>
  /// A sentence without a period that describes the problem and, for an error, the expected text.
  public let message: String
  /// The suggested replacement for the text, or nil if there is no suggestion.
  public let replacement: String?
}

/// A syntax error in a descriptor.
public struct DescriptorSyntaxError: Error, Hashable, Sendable {
  /// The first error in the descriptor.
  public let issue: DescriptorIssue
}

extension DescriptorSyntaxError: CustomStringConvertible {
  /// The position, the problem, and the solution.
  public var description: String { "At character \(issue.range.lowerBound + 1): \(issue)" }
}

extension DescriptorIssue: CustomStringConvertible {
  /// The problem and the solution.
  public var description: String {
    switch replacement {
    case nil: "\(message)."
    case ""?: "\(message). Remove it."
    case let replacement? where range.isEmpty: "\(message). Insert `\(replacement)`."
    case let replacement?: "\(message). Write `\(replacement)` instead."
    }
  }
}
