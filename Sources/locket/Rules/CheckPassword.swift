import PasswordRules
import SecretStorage

extension Command {
  static let checkPassword = Command(
    name: "rules check",
    parameters: [.descriptor],
    summary: "Checks a password against rules, and lists the state of each rule.",
    options: [.any],
    notes: """
      The terminal prompts for the password and does not show it. If standard input is not a terminal,
      the password is read from it, without a line end at the end. Each line is a rule: satisfied;
      incomplete, if more characters can satisfy it; or violated, if only a deletion can, with the
      positions. Characters are Unicode code points, counted from 1. The exit status is 0 if all rules
      are satisfied, 1 if not, and 2 if DESCRIPTOR or the password cannot be read.
      """,
    excessArgument: """
      A password is not accepted as an argument, where every user of the machine can read it. Omit it \
      to get a prompt, or pass it on standard input. Quote a DESCRIPTOR that contains spaces.
      """
  ) { arguments in
    let rules = try arguments.rules()
    let mode = arguments.matchingMode
    let report = rules.check(try await password(), matching: mode)
    for check in report.checks { try Output.line(check.line) }
    try Output.line(conclusion(of: report, for: rules, matching: mode))
    return report.isSatisfied ? .done : .refused
  }

  private static func password() async throws -> String {
    let secret =
      SecretInput.isStandardInputATerminal
      ? try await SecretInput.ask(
        "Password: ",
        withoutTerminal: "There is no terminal for a prompt. Pass the password on standard input.")
      : try SecretInput.standardInput()
    guard let text = secret.text else { throw Failure("The password is not valid UTF-8.") }
    return text
  }

  /// Returns the last line, which explains how to satisfy the remaining rules.
  private static func conclusion(
    of report: PasswordReport, for rules: PasswordRuleSet, matching mode: RequirementMatchingMode
  ) -> String {
    if report.isSatisfied { return "The password satisfies all rules." }
    if let count = report.shortestCompletion {
      return count == 1
        ? "At least 1 more character is needed." : "At least \(count) more characters are needed."
    }
    do {
      _ = try rules.shortestLength(matching: mode)
    } catch {
      if case PasswordRulesError.unsatisfiable = error { return "\(error)" }
      // Whether any password satisfies the rules is unknown; this one does not.
    }
    if report.checks.contains(where: { !$0.violations.isEmpty }) {
      return "Delete or replace some characters."
    }
    let missing = report.checks.count { $0.state != .satisfied && $0.isOfRequirement }
    if mode == .distinct, let limit = rules.maxLength, missing > limit - report.length {
      let needed = missing == 1 ? "1 required character is" : "\(missing) required characters are"
      let room = limit - report.length
      return """
        \(needed) missing, but the maximum length leaves room for \(room == 0 ? "none" : "only \(room)"). \
        Delete or replace some characters.
        """
    }
    return "No characters added at the end can satisfy the rules. Delete some characters."
  }
}

extension PasswordReport.Check {
  fileprivate var isOfRequirement: Bool { if case .required = rule { true } else { false } }

  /// The state, the rule, and the positions that violate it.
  fileprivate var line: String {
    let word =
      switch state {
      case .satisfied: TextStyle.good.text("satisfied ")
      case .incomplete: TextStyle.waiting.text("incomplete")
      case .violated: TextStyle.bad.text("violated  ")
      }
    let places = violations.map { range in
      range.count == 1 ? "\(range.upperBound)" : "\(range.lowerBound + 1) to \(range.upperBound)"
    }
    if places.isEmpty { return "\(word)  \(rule)" }
    let noun = violations.count == 1 && violations[0].count == 1 ? "character" : "characters"
    return "\(word)  \(rule)  (\(noun) \(places.joined(separator: ", ")))"
  }
}
