import PasswordRules

extension Command {
  static let explainRules = Command(
    name: "rules explain",
    parameters: [.descriptor],
    summary: "Says what rules mean: their canonical form, warnings, entropy, HTML.",
    options: [.any],
    notes: """
      The compatible form is for readers that do not know max-repeating and max-sequential, if it is
      another one. A warning is about what is legal but may not be meant, with carets under its place;
      characters that do not show are written as escapes there.
      """
  ) { arguments in
    let (rules, warnings) = try arguments.descriptor()
    let compatible = rules.descriptor(for: .compatible)
    // Rules that say nothing are printed as nothing.
    try Output.line("canonical   \(rules.descriptor.isEmpty ? "(no rules)" : rules.descriptor)")
    if compatible != rules.descriptor { try Output.line("compatible  \(compatible)") }
    try Output.line("HTML        \(rules.htmlAttribute)")
    try Output.line("entropy     \(entropy(of: rules, arguments.reading))")
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

  private static func entropy(of rules: PasswordRuleSet, _ reading: RequirementReading) -> String {
    do throws(PasswordRulesError) {
      let length = try rules.defaultLength(reading: reading)
      let bits = try rules.entropy(length: length, reading: reading)
      return "\((bits * 10).rounded() / 10) bits at length \(length)"
    } catch {
      return "\(error)"
    }
  }
}
