/// Reads a descriptor and stops at the first thing that the reference parser would drop.
///
/// What it accepts, the reference parser reads without loss, but for `digits`, which people write
/// because Apple's documentation once did.
struct StrictParser {
  /// In UTF-8; all that has a meaning is ASCII.
  let bytes: [UInt8]
  /// In bytes, as all ranges here are until what was found is handed out.
  var position = 0
  private var warnings: [DescriptorIssue] = []
  private var rules: [PasswordRule] = []
  /// Where each class is, in the order in which the rules have them.
  private var places: [Range<Int>] = []

  private init(_ descriptor: String) {
    bytes = Array(descriptor.utf8)
    rules.reserveCapacity(8)
    places.reserveCapacity(8)
  }

  static func parse(
    _ descriptor: String
  ) throws(DescriptorSyntaxError) -> (rules: PasswordRuleSet, warnings: [DescriptorIssue]) {
    var parser = StrictParser(descriptor)
    do throws(DescriptorSyntaxError) {
      try parser.parseRules()
    } catch {
      throw DescriptorSyntaxError(issue: parser.inCodePoints([error.issue])[0])
    }
    parser.warnOfSwallowedClasses()
    return (PasswordRuleSet(parser.rules), parser.inCodePoints(parser.warnings))
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
    skipName()
    guard let name = PasswordRule.Name(bytes[start..<position]) else {
      let written = text(start..<position)
      if written.isEmpty { throw error("Expected the name of a rule, \(Self.ruleNames)") }
      throw error(
        "`\(Self.excerpt(written))` is no rule; expected \(Self.ruleNames)", at: start..<position,
        replace: Suggestion.rule(for: written))
    }
    let end = position
    skipWhitespace()
    guard isAt(":") else {
      throw error("Expected `:` after `\(name.rawValue)`", at: end, insert: ":")
    }
    if position > end {
      throw error("There must be no space before `:`", at: end..<position, replace: "")
    }
    position += 1
    skipWhitespace()
    if isAtEndOfRule {
      warn("`\(name.rawValue)` without a value says nothing", at: start..<position, replace: nil)
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
    while let byte = current, byte.isDigit {
      value = value?.appending(Int(byte - UInt8(ascii: "0")))
      position += 1
    }
    let range = start..<position
    if range.isEmpty { throw error("Expected a number") }
    guard let value else {
      throw error("The number is over \(Int.max)", at: range, replace: "\(Int.max)")
    }
    let end = position
    skipWhitespace()
    if !isAtEndOfRule {
      throw error("Expected `;` or the end after the number", at: end, insert: ";")
    }
    if position > end {
      throw error("There must be no space after a number", at: end..<position, replace: "")
    }
    if value == 0 { warn("A limit of 0 says nothing", at: range, replace: nil) }
    rules.append(rule(value))
  }

  private mutating func parseClasses(
    _ rule: ([CharacterClass]) -> PasswordRule
  ) throws(DescriptorSyntaxError) {
    let first = position
    var classes: [CharacterClass] = []
    while true {
      let start = position
      classes.append(try parseClass())
      places.append(start..<position)
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
    if case .required = rule, Alphabet(classes).isEmpty, let last = places.last {
      warn(
        "Nothing is required, because no character is left", at: first..<last.upperBound,
        replace: nil)
    }
    rules.append(rule)
  }

  private mutating func parseClass() throws(DescriptorSyntaxError) -> CharacterClass {
    if isAt("[") { return .custom(try parseCustomClass()) }
    let start = position
    skipName()
    if let known = CharacterClass(named: bytes[start..<position]) { return known }
    let written = text(start..<position)
    if written.isEmpty { throw error("Expected a class, \(Self.classNames), or `[`") }
    if written.lowercased() == "digits" {
      warn("Other readers do not know `\(written)`", at: start..<position, replace: "digit")
      return .digits
    }
    throw error(
      "`\(Self.excerpt(written))` is no class; expected \(Self.classNames), or `[`",
      at: start..<position, replace: Suggestion.characterClass(for: written))
  }

  /// A class of which nothing is missing in an earlier one or in what is required.
  private mutating func warnOfSwallowedClasses() {
    var required = AlphabetUnion()
    for case .required(let classes) in rules {
      for characterClass in classes { required.add(characterClass) }
    }
    let demanded = required.alphabet.isEmpty ? nil : required.alphabet
    var place = 0
    for rule in rules {
      let (classes, demanded): ([CharacterClass], Alphabet?) =
        switch rule {
        case .required(let classes): (classes, nil)
        case .allowed(let classes): (classes, demanded)
        default: ([], nil)
        }
      var swallower: CharacterClass?
      for characterClass in classes {
        if let all = swallower {
          warn(
            "This adds nothing, because `\(all.name)` before it stands for the whole list",
            at: places[place], replace: nil)
        } else if demanded?.isSuperset(of: Alphabet([characterClass])) == true {
          warn(
            "This allows nothing more: every character of a required class may be used",
            at: places[place], replace: nil)
        }
        if characterClass == .asciiPrintable || characterClass == .unicode {
          swallower = swallower ?? characterClass
        }
        place += 1
      }
    }
  }

  /// As much of a name as a message has room for.
  private static func excerpt(_ name: String) -> String {
    name.utf8.count <= 40 ? name : "\(name.prefix(39))…"
  }

  private static let ruleNames = PasswordRule.Name.allCases
    .map { "`\($0.rawValue)`" }.joined(separator: ", ")
  private static let classNames = CharacterClass.names
    .map { "`\($0.name)`" }.joined(separator: ", ")
}

// The characters, and what is said about them.
extension StrictParser {
  var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  func isAt(_ character: Unicode.Scalar) -> Bool { current == UInt8(ascii: character) }

  private var isAtEndOfRule: Bool { current == nil || isAt(";") }

  mutating func skipWhitespace() {
    while let byte = current, byte.isWhitespace { position += 1 }
  }

  private mutating func skipName() {
    while let byte = current, byte.isNamePart { position += 1 }
  }

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

  /// What was expected at a place, unless there is something that looks like nothing.
  func error(
    _ message: String, at place: Int? = nil, insert text: String? = nil
  ) -> DescriptorSyntaxError {
    let place = place ?? position
    return invisible(at: position) ?? error(message, at: place..<place, replace: text)
  }

  /// A character that people take for a space or do not see.
  private func invisible(at place: Int) -> DescriptorSyntaxError? {
    let character = String(decoding: bytes[place..<min(place + 4, bytes.count)], as: UTF8.self)
    guard let scalar = character.unicodeScalars.first else { return nil }
    let properties = scalar.properties
    let isInvisible =
      switch properties.generalCategory {
      case .control, .format: true
      default: properties.isWhitespace || scalar == "\u{FFFD}"
      }
    guard isInvisible, !scalar.isASCII || !UInt8(ascii: scalar).isWhitespace else { return nil }
    let hexadecimal = String(scalar.value, radix: 16, uppercase: true)
    let padding = String(repeating: "0", count: max(0, 4 - hexadecimal.count))
    return error(
      "U+\(padding)\(hexadecimal) is no space of this language",
      at: place..<(place + UTF8.width(scalar)), replace: "")
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
