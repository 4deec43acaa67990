/// A parser that stops at the first text that the reference parser would drop.
///
/// The reference parser reads all accepted text without loss, except `digits`, which is common
/// because Apple's documentation once used it.
struct StrictParser: DescriptorReader {
  /// UTF-8; all meaningful bytes are ASCII.
  let bytes: [UInt8]
  /// A byte offset, like all ranges here until the results are returned.
  var position = 0
  private var warnings: [DescriptorIssue] = []
  private var rules: [PasswordRule] = []
  /// The ranges of the classes, in the order of the rules.
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
    guard let name = PasswordRule.Name(readName()) else {
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
    case .maxConsecutive, .maxRepeating, .maxSequential, .minLength, .maxLength:
      try parseLimit(name)
    }
  }

  private mutating func parseLimit(
    _ name: PasswordRule.Name
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
    if let known = CharacterClass(named: readName()) { return known }
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

  /// Warns of classes that add nothing to an earlier class or to the requirements.
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

  /// Returns as much of a name as fits into a message.
  private static func excerpt(_ name: String) -> String {
    name.utf8.count <= 40 ? name : "\(name.prefix(39))…"
  }

  private static let ruleNames = PasswordRule.Name.allCases
    .map { "`\($0.rawValue)`" }.joined(separator: ", ")
  private static let classNames = CharacterClass.names
    .map { "`\($0.name)`" }.joined(separator: ", ")
}

// Error reporting.
extension StrictParser {
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

  /// Returns an error at a place, or the error of an invisible character there.
  func error(
    _ message: String, at place: Int? = nil, insert text: String? = nil
  ) -> DescriptorSyntaxError {
    let place = place ?? position
    return invisible(at: position) ?? error(message, at: place..<place, replace: text)
  }

  /// Returns an error if the character resembles a space or is invisible.
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
  /// Returns the number with a digit appended; nil if that overflows.
  fileprivate func appending(_ digit: Int) -> Int? {
    let (tens, isOver) = multipliedReportingOverflow(by: 10)
    let (sum, isOverNow) = tens.addingReportingOverflow(digit)
    return isOver || isOverNow ? nil : sum
  }
}
