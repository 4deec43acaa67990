import PasswordRules
import SecretStorage

extension Command {
  static let checkPassword = Command(
    name: "rules check",
    parameters: [.descriptor],
    summary: "Checks a password, and lists which rules it satisfies.",
    options: [.any],
    notes: """
      The password is asked for on the terminal without showing it, or is read from standard input if
      that is no terminal; then one newline at its end is left out. Each line of the list is a rule:
      satisfied; not yet, if more typing can satisfy it; or broken, if only deleting can, and where.
      Characters are Unicode code points, counted from 1. The exit status is 0 when all rules are
      satisfied, 1 when not, and 2 when DESCRIPTOR or the password cannot be read.
      """,
    refusal: """
      A password is never taken from the arguments, where every user of the machine can read it. \
      Leave it out, and it is asked for; or give it on standard input. A DESCRIPTOR that has spaces \
      in it needs quotation marks.
      """
  ) { arguments in
    let rules = try arguments.rules()
    let report = rules.check(try await password(), matching: arguments.matchingMode)
    for check in report.checks { try Output.line(check.line) }
    try Output.line(conclusion(of: report, for: rules, matching: arguments.matchingMode))
    return report.isSatisfied ? .done : .refused
  }

  private static func password() async throws -> String {
    let secret =
      SecretInput.isStandardInputATerminal
      ? try await SecretInput.ask(
        "Password: ",
        withoutTerminal: "There is no terminal to ask for the password. Give it on standard input.")
      : try SecretInput.standardInput()
    guard let text = secret.text else { throw Failure("The password is not text in UTF-8.") }
    return text
  }

  /// The last line: what is left to do.
  private static func conclusion(
    of report: PasswordReport, for rules: PasswordRuleSet, matching mode: RequirementMatchingMode
  ) -> String {
    if report.isSatisfied { return "The password satisfies all rules." }
    if let count = report.shortestCompletion {
      return "It takes at least \(counted(count)) more."
    }
    do {
      _ = try rules.shortestLength(matching: mode)
    } catch {
      if case PasswordRulesError.unsatisfiable = error { return "\(error)" }
      // Whether any password satisfies the rules is unknown then; this one does not.
    }
    if report.checks.contains(where: { !$0.violations.isEmpty }) {
      return "Something must be deleted or replaced."
    }
    let missing = report.checks.count { $0.state != .satisfied && $0.isOfRequirement }
    if mode == .distinct, let limit = rules.maxLength, missing > limit - report.length {
      return """
        Dead end: \(limit - report.length) of at most \(counted(limit)) left, and \(missing) required \
        missing. Something must be deleted or replaced.
        """
    }
    return "Dead end: no text typed at the end satisfies the rules. Delete some of it."
  }

  private static func counted(_ count: Int) -> String {
    count == 1 ? "1 character" : "\(count) characters"
  }
}

extension PasswordReport.Check {
  fileprivate var isOfRequirement: Bool { if case .required = rule { true } else { false } }

  /// The state, the rule, and where it is broken.
  fileprivate var line: String {
    let word =
      switch state {
      case .satisfied: TextStyle.good.text("satisfied")
      case .incomplete: TextStyle.waiting.text("not yet  ")
      case .violated: TextStyle.bad.text("broken   ")
      }
    let places = violations.map { range in
      range.count == 1 ? "\(range.upperBound)" : "\(range.lowerBound + 1) to \(range.upperBound)"
    }
    if places.isEmpty { return "\(word)  \(rule)" }
    let noun = violations.count == 1 && violations[0].count == 1 ? "character" : "characters"
    return "\(word)  \(rule)  (\(noun) \(places.joined(separator: ", ")))"
  }
}
