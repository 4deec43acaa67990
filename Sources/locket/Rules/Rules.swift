import PasswordRules
import ValueFormats

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
    "DESCRIPTOR", "the rules for a password, such as 'required: digit; minlength: 12;'")
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
    } catch let error as DescriptorSyntaxError {
      let place = MarkedText(parameters[index], marking: error.issue.range)
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
    fields: [
      Field("canonical", "the canonical form"), Field("compatible", "the compatible form"),
      Field("html", "the attribute of an HTML element"),
      Field("entropy", "the entropy of the passwords of the default length, in bits"),
      Field("length", "that length, in characters"), Field("problem", "why there is no entropy"),
      Field("warnings", "objects with the first and the last character, and a text"),
    ],
    notes: """
      The compatible form is for parsers without max-repeating and max-sequential, and is omitted if it
      is the same. A warning points to a valid part that may be a mistake; invisible characters in it
      are shown as escape sequences.
      """
  ) { arguments in
    let (rules, warnings) = try arguments.descriptor()
    let compatible = rules.descriptor(for: .compatible)
    let isSame = compatible == rules.descriptor
    let entropy = RulesEntropy(of: rules, arguments.matchingMode)
    // The canonical form of no rules is empty.
    var lines = ["canonical   \(rules.descriptor.isEmpty ? "(no rules)" : rules.descriptor)"]
    if !isSame { lines.append("compatible  \(compatible)") }
    lines += ["HTML        \(rules.htmlAttribute)", "entropy     \(entropy.text)"]
    for warning in warnings {
      let place = MarkedText(arguments.parameters[0], marking: warning.range)
      lines.append(
        """

        \(TextStyle.waiting.text("warning")) at character \(warning.range.lowerBound + 1): \(warning)
          \(place.line)
          \(TextStyle.waiting.text(place.carets))
        """)
    }
    try arguments.list(
      lines.joined(separator: "\n"),
      [
        ("canonical", .string(rules.descriptor)), ("compatible", .text(isSame ? nil : compatible)),
        ("html", .string(rules.htmlAttribute)),
      ] + entropy.fields + [("warnings", .array(warnings.map(\.tree)))])
    return .done
  }

  static let compareRules = Command(
    name: "rules compare",
    parameters: [
      Parameter("A", "the rules for a password, such as 'required: digit; minlength: 12;'"),
      Parameter("B", "the rules to compare with, such as an earlier version"),
    ],
    summary: "Compares two sets of rules, with passwords that only one of them accepts.",
    options: [.any],
    fields: [
      Field("relation", "equal, stricter, looser or incomparable"),
      Field("differences", "the differences, each a text"),
      Field("onlyA", "a shortest password that only A accepts"),
      Field("onlyB", "a shortest password that only B accepts"),
    ],
    notes: """
      The first line is the relation of A to B: equal, stricter, looser or incomparable. The differences
      follow, then a shortest password that only A accepts and one that only B accepts, each as a JSON
      string, if there are any.
      """
  ) { arguments in
    let first = try arguments.rules(at: 0, named: "A")
    let second = try arguments.rules(at: 1, named: "B")
    let comparison = try first.compared(to: second, matching: arguments.matchingMode)
    let differences = comparison.differences.map { "\($0)" }
    var lines = ["\(comparison.relation)"] + differences.map { "  \($0)" }
    for (name, password) in [("A", comparison.onlyFirst), ("B", comparison.onlySecond)] {
      if let password { lines.append("only \(name) accepts \(password.quotedForJSON)") }
    }
    try arguments.list(
      lines.joined(separator: "\n"),
      [
        ("relation", .string("\(comparison.relation)")),
        ("differences", .array(differences.map(ValueTree.string))),
        ("onlyA", .text(comparison.onlyFirst)), ("onlyB", .text(comparison.onlySecond)),
      ])
    return .done
  }

  static let generatePasswords = Command(
    name: "rules generate",
    parameters: [.descriptor],
    summary: "Generates passwords that satisfy the rules, one on each line.",
    options: [.count, .length, .typeable, .any],
    fields: [Field("password", "the password")],
    notes: """
      All passwords that satisfy the rules are equally likely. Without --length, the length is 20, or as
      close to it as the rules allow.
      """
  ) { arguments in
    if arguments.has(.typeable), arguments.has(.length) {
      throw UsageError("--typeable and --length cannot be used together.")
    }
    let count = try arguments.number(.count, from: 1) ?? 1
    let length = try arguments.number(.length, from: 0)
    let rules = try arguments.rules()
    if arguments.has(.typeable) {
      guard let style = TypeablePasswordGenerator(rules) else {
        throw Failure("No password that is easy to read aloud satisfies these rules.")
      }
      try arguments.write(count) { style.password() }
    } else {
      let generator = try PasswordGenerator(rules, length: length, matching: arguments.matchingMode)
      try arguments.write(count) { generator.password() }
    }
    return .done
  }
}

extension Arguments {
  /// Prints passwords, many at a time.
  fileprivate func write(_ count: Int, _ password: () -> String) throws(Failure) {
    var lines: [UInt8] = []
    for _ in 0..<count {
      let password = password()
      lines += Array("\(line(password, [("password", .string(password))]))\n".utf8)
      if lines.count >= 65536 {
        try Output.write(lines)
        lines.removeAll(keepingCapacity: true)
      }
    }
    try Output.write(lines)
  }
}

/// The entropy of the passwords of the default length, or the reason why there is none.
private struct RulesEntropy {
  let text: String
  let fields: FieldValues

  init(of rules: PasswordRuleSet, _ mode: RequirementMatchingMode) {
    do {
      let length = try rules.defaultLength(matching: mode)
      let bits = (try rules.entropy(length: length, matching: mode) * 10).rounded() / 10
      text = "\(bits) bits at length \(length)"
      fields = [("entropy", .number(.real(bits))), ("length", .integer(length))]
    } catch {
      text = "\(error)"
      fields = [("problem", .string(text))]
    }
  }
}

extension DescriptorIssue {
  fileprivate var tree: ValueTree {
    .dictionary([
      StoredKey("first"): .number(.integer(Int128(range.lowerBound + 1))),
      StoredKey("last"): .number(.integer(Int128(range.upperBound))),
      StoredKey("text"): .string("\(self)"),
    ])
  }
}
