/// Reads a descriptor and stops at the first thing that the reference parser would drop.
///
/// What it accepts, the reference parser reads without loss, but for `digits`, which people write
/// because Apple's documentation once did.
struct StrictParser {
  let scalars: [Unicode.Scalar]
  var position = 0
  var warnings: [DescriptorIssue] = []
  private var rules: [(rule: PasswordRule, classes: [(CharacterClass, Range<Int>)])] = []

  init(_ descriptor: some StringProtocol) {
    scalars = Array(descriptor.unicodeScalars)
  }

  mutating func parse() throws(DescriptorSyntaxError) -> PasswordRuleSet {
    skipWhitespace()
    while current != nil {
      try parseRule()
      skipWhitespace()
      if current == nil { break }
      guard current == ";" else { throw error("Expected `;` before the next rule", insert: ";") }
      position += 1
      skipWhitespace()
    }
    warnOfSwallowedClasses()
    return PasswordRuleSet(rules.map(\.rule))
  }

  private mutating func parseRule() throws(DescriptorSyntaxError) {
    if current == ";" {
      throw error("There is no rule before this `;`", at: position..<(position + 1), replace: "")
    }
    let start = position
    let written = takeName()
    guard let name = PasswordRule.Name(rawValue: written) else {
      if written.isEmpty { throw error("Expected the name of a rule, \(Self.ruleNames)") }
      throw error(
        "`\(written)` is no rule; expected \(Self.ruleNames)", at: start..<position,
        replace: Suggestion.rule(for: written))
    }
    let end = position
    skipWhitespace()
    guard current == ":" else { throw error("Expected `:` after `\(written)`", at: end, insert: ":") }
    if position > end {
      throw error("There must be no space before `:`", at: end..<position, replace: "")
    }
    position += 1
    skipWhitespace()
    if current == nil || current == ";" {
      warn("`\(written)` without a value says nothing", at: start..<position, replace: nil)
      return
    }
    switch name {
    case .required: try parseClasses { .required($0) }
    case .allowed: try parseClasses { .allowed($0) }
    case .maxConsecutive: try parseNumber { .maxConsecutive($0) }
    case .maxRepeating: try parseNumber { .maxRepeating($0) }
    case .maxSequential: try parseNumber { .maxSequential($0) }
    case .minLength: try parseNumber { .minLength($0) }
    case .maxLength: try parseNumber { .maxLength($0) }
    }
  }

  private mutating func parseNumber(
    _ rule: (Int) -> PasswordRule
  ) throws(DescriptorSyntaxError) {
    let start = position
    var value: Int? = 0
    while let digit = current?.decimalDigit {
      value = value?.appending(digit)
      position += 1
    }
    let range = start..<position
    if range.isEmpty { throw error("Expected a number") }
    guard let value else { throw error("The number is over \(Int.max)", at: range) }
    let end = position
    skipWhitespace()
    if current != nil, current != ";" {
      throw error("Expected `;` or the end after the number", at: end, insert: ";")
    }
    if position > end {
      throw error("There must be no space after a number", at: end..<position, replace: "")
    }
    if value == 0 { warn("A limit of 0 says nothing", at: range, replace: nil) }
    rules.append((rule(value), []))
  }

  private mutating func parseClasses(
    _ rule: ([CharacterClass]) -> PasswordRule
  ) throws(DescriptorSyntaxError) {
    var classes: [(CharacterClass, Range<Int>)] = []
    while true {
      let start = position
      let characterClass = try parseClass()
      classes.append((characterClass, start..<position))
      skipWhitespace()
      if current == nil || current == ";" { break }
      guard current == "," else {
        throw error("Expected `,`, `;` or the end after a class", insert: ",")
      }
      let comma = position
      position += 1
      skipWhitespace()
      if current == nil || current == ";" {
        throw error(
          "Expected a class after `,`", at: comma..<(comma + 1), replace: "")
      }
    }
    if case .required = rule([]), Alphabet(classes.map(\.0)).isEmpty, let last = classes.last {
      warn(
        "Nothing is required, because no character is left",
        at: classes[0].1.lowerBound..<last.1.upperBound, replace: nil)
    }
    rules.append((rule(classes.map(\.0)), classes))
  }

  private mutating func parseClass() throws(DescriptorSyntaxError) -> CharacterClass {
    if current == "[" { return .custom(try parseCustomClass()) }
    let start = position
    let written = takeName()
    if written.isEmpty { throw error("Expected a class, \(Self.classNames), or `[`") }
    let name = written.lowercased()
    if let known = CharacterClass.names.first(where: { $0.name == name }) {
      return known.characterClass
    }
    if name == "digits" {
      warn("Other readers do not know `\(written)`", at: start..<position, replace: "digit")
      return .digits
    }
    throw error(
      "`\(written)` is no class; expected \(Self.classNames), or `[`", at: start..<position,
      replace: Suggestion.characterClass(for: written))
  }

  /// A class of which nothing is missing in an earlier one or in what is required.
  private mutating func warnOfSwallowedClasses() {
    let required = rules.flatMap { entry -> [CharacterClass] in
      if case .required(let classes) = entry.rule { classes } else { [] }
    }
    let demanded = Alphabet(required)
    for (rule, classes) in rules {
      var swallower: CharacterClass?
      for (characterClass, range) in classes {
        if let all = swallower {
          warn(
            "This adds nothing, because `\(all.name)` before it stands for the whole list", at: range,
            replace: nil)
        } else if case .allowed = rule, !required.isEmpty,
          demanded.isSuperset(of: Alphabet([characterClass]))
        {
          warn(
            "This allows nothing more: every character of a required class may be used", at: range,
            replace: nil)
        }
        if characterClass == .asciiPrintable || characterClass == .unicode {
          swallower = swallower ?? characterClass
        }
      }
    }
    warnings.sort { $0.range.lowerBound < $1.range.lowerBound }
  }

  private static let ruleNames = PasswordRule.Name.allCases
    .map { "`\($0.rawValue)`" }.joined(separator: ", ")
  private static let classNames = CharacterClass.names
    .map { "`\($0.name)`" }.joined(separator: ", ")
}

// The characters, and what is said about them.
extension StrictParser {
  var current: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  mutating func skipWhitespace() {
    while let scalar = current, UInt8(exactly: scalar.value)?.isWhitespace == true { position += 1 }
  }

  private mutating func takeName() -> String {
    let start = position
    while let scalar = current, UInt8(exactly: scalar.value)?.isNamePart == true { position += 1 }
    return String(String.UnicodeScalarView(scalars[start..<position]))
  }

  mutating func warn(_ message: String, at range: Range<Int>, replace replacement: String?) {
    warnings.append(DescriptorIssue(range: range, message: message, replacement: replacement))
  }

  func error(
    _ message: String, at range: Range<Int>, replace replacement: String? = nil
  ) -> DescriptorSyntaxError {
    DescriptorSyntaxError(
      issue: DescriptorIssue(range: range, message: message, replacement: replacement))
  }

  func error(
    _ message: String, at place: Int? = nil, insert text: String? = nil
  ) -> DescriptorSyntaxError {
    let place = place ?? position
    return error(message, at: place..<place, replace: text)
  }
}

extension Unicode.Scalar {
  fileprivate var decimalDigit: Int? {
    ("0"..."9").contains(self) ? Int(value) - 0x30 : nil
  }
}

extension Int {
  /// The number with one digit more; nil when that is too large.
  fileprivate func appending(_ digit: Int) -> Int? {
    let (tens, isOver) = multipliedReportingOverflow(by: 10)
    let (sum, isOverNow) = tens.addingReportingOverflow(digit)
    return isOver || isOverNow ? nil : sum
  }
}
