import PasswordRules

extension Option {
  static let any = Option(
    "any", nil, "let one character satisfy several requirements, instead of only one")
  static let length = Option("length", "N", "the length of the passwords, in characters")
  fileprivate static let count = Option("n", "COUNT", "the number of passwords; by default 1")
  fileprivate static let typeable = Option(
    "typeable", nil, "generate passwords that are easy to read aloud, such as tapqof-5nubri-Hyxgek")
}

extension Parameter {
  static let descriptor = Parameter(
    "DESCRIPTOR", "the rules for a password, such as 'required: digit; allowed: lower;'")
}

extension Arguments {
  /// Returns the rules of a parameter.
  func rules(at index: Int = 0, named name: String = "DESCRIPTOR") throws -> PasswordRuleSet {
    try descriptor(at: index, named: name).rules
  }

  /// Returns the rules of a parameter, and the parts that may be mistakes.
  func descriptor(
    at index: Int = 0, named name: String = "DESCRIPTOR"
  ) throws -> (rules: PasswordRuleSet, warnings: [DescriptorIssue]) {
    do {
      return try PasswordRuleSet.parse(parameters[index])
    } catch let error as PasswordRulesError {
      guard case .syntax(let issue) = error else { throw error }
      let place = MarkedText(parameters[index], marking: issue.range)
      throw Failure(
        """
        \(name) cannot be read. \(error)
          \(place.line)
          \(place.carets)
        """)
    }
  }

  /// Whether one character may satisfy several requirements.
  var matchingMode: RequirementMatchingMode { has(.any) ? .any : .distinct }
}

extension Command {
  static let explainRules = Command(
    name: "rules explain",
    parameters: [.descriptor],
    summary: "Explains rules: their canonical form, warnings, entropy, HTML.",
    options: [.any],
    notes: """
      The compatible form is for parsers without max-repeating and max-sequential, and is omitted if it
      is the same. A warning points to a valid part that may be a mistake; invisible characters in it
      are shown as escape sequences.
      """
  ) { arguments in
    let (rules, warnings) = try arguments.descriptor()
    let compatible = rules.descriptor(for: .compatible)
    // The canonical form of no rules is empty.
    try Output.line("canonical   \(rules.descriptor.isEmpty ? "(no rules)" : rules.descriptor)")
    if compatible != rules.descriptor { try Output.line("compatible  \(compatible)") }
    try Output.line("HTML        \(rules.htmlAttribute)")
    try Output.line("entropy     \(entropy(of: rules, arguments.matchingMode))")
    for warning in warnings {
      let place = MarkedText(arguments.parameters[0], marking: warning.range)
      try Output.line(
        """

        \(TextStyle.waiting.text("warning")) at character \(warning.range.lowerBound + 1): \(warning)
          \(place.line)
          \(TextStyle.waiting.text(place.carets))
        """)
    }
    return .done
  }

  private static func entropy(
    of rules: PasswordRuleSet, _ mode: RequirementMatchingMode
  ) -> String {
    do {
      let length = try rules.defaultLength(matching: mode)
      let bits = try rules.entropy(length: length, matching: mode)
      return "\((bits * 10).rounded() / 10) bits at length \(length)"
    } catch {
      return "\(error)"
    }
  }

  static let compareRules = Command(
    name: "rules compare",
    parameters: [
      Parameter("A", "the rules for a password, such as 'required: digit; allowed: lower;'"),
      Parameter("B", "the rules to compare with, such as an earlier version"),
    ],
    summary: "Compares two sets of rules, with passwords that only one of them accepts.",
    options: [.any],
    notes: """
      The first line is the relation of A to B: equal, stricter, looser or incomparable. The differences
      follow, then a shortest password that only A accepts and one that only B accepts, each as a JSON
      string, if there are any.
      """
  ) { arguments in
    let first = try arguments.rules(at: 0, named: "A")
    let second = try arguments.rules(at: 1, named: "B")
    let comparison = try first.compared(to: second, matching: arguments.matchingMode)
    try Output.line("\(comparison.relation)")
    for difference in comparison.differences { try Output.line("  \(difference)") }
    for (name, password) in [("A", comparison.onlyFirst), ("B", comparison.onlySecond)] {
      if let password { try Output.line("only \(name) accepts \(password.quotedForJSON)") }
    }
    return .done
  }

  static let generatePasswords = Command(
    name: "rules generate",
    parameters: [.descriptor],
    summary: "Generates passwords that satisfy the rules, one on each line.",
    options: [.count, .length, .typeable, .any],
    notes: """
      All passwords that satisfy the rules are equally likely, except that none begins or ends with a
      blank. Without --length, the length is 20, or as close to it as the rules allow.
      """
  ) { arguments in
    if arguments.has(.typeable), arguments.has(.length) {
      throw UsageError("--typeable and --length cannot be used together.")
    }
    let count = try arguments.number(.count, from: 1) ?? 1
    let length = try arguments.number(.length, from: 0)
    let rules = try arguments.rules()
    if arguments.has(.typeable) {
      let style = try TypeablePasswordGenerator(rules)
      try write(count) { style.password() }
    } else {
      let generator = try PasswordGenerator(rules, length: length, matching: arguments.matchingMode)
      try write(count) { generator.password() }
    }
    return .done
  }

  private static func write(_ count: Int, _ password: () -> String) throws(Failure) {
    var lines: [UInt8] = []
    for _ in 0..<count {
      lines += Array("\(password())\n".utf8)
      if lines.count >= 65536 {
        try Output.write(lines)
        lines.removeAll(keepingCapacity: true)
      }
    }
    try Output.write(lines)
  }
}
