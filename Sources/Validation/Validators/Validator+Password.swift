public import PasswordRules

extension Validator<String> {
  /// Returns a check for each rule, with the results of `PasswordRuleSet.check(_:unit:matching:)`.
  ///
  /// A password satisfies all checks if and only if it satisfies the rule set. Advice contains only
  /// positions, never characters of the password.
  ///
  /// - Parameters:
  ///   - rules: The rules for a password.
  ///   - unit: The unit of the length limits.
  ///   - mode: Whether one character can meet several requirements.
  /// - Returns: A validator with checks that have the names of the rules, such as `maxRepeating`.
  public static func password(
    _ rules: PasswordRuleSet, unit: LengthUnit = .codePoints,
    matching mode: RequirementMatchingMode = .distinct
  ) -> Validator {
    let rulesToCheck = rules.check("", unit: unit, matching: mode).checks.map(\.rule)
    return Validator(checks: checks(of: rulesToCheck, unit: unit, matching: mode)) {
      password, results in
      let report = rules.check(password, unit: unit, matching: mode)
      for (index, check) in report.checks.enumerated() {
        results.record(
          ValidationCheck.State(check.state), at: index,
          advice: check.state == .satisfied ? nil : check.advice(length: report.length, unit: unit),
          positions: check.violations)
      }
    }
  }

  private static func checks(
    of rules: [PasswordRule], unit: LengthUnit, matching mode: RequirementMatchingMode
  ) -> [ValidationCheck] {
    var occurrences: [PasswordRule: Int] = [:]
    return rules.map { rule in
      if mode == .distinct { occurrences[rule, default: 0] += 1 }
      let (name, requirement) = rule.requirement(occurrence: occurrences[rule] ?? 1, unit: unit)
      return ValidationCheck(id: .init(name), requirement: requirement)
    }
  }
}

extension ValidationCheck.State {
  init(_ state: PasswordReport.State) {
    switch state {
    case .satisfied: self = .satisfied
    case .incomplete: self = .incomplete
    case .violated: self = .violated
    }
  }
}

extension PasswordRule {
  /// Returns the name and the requirement of the check of a rule.
  ///
  /// The second occurrence of a required class requires two characters.
  fileprivate func requirement(
    occurrence: Int, unit: LengthUnit
  ) -> (name: String, requirement: ValidationMessage) {
    switch self {
    case .required(let classes): ("required", .minimumOf(occurrence, classes))
    case .allowed(let classes): ("allowed", .onlyOf(classes))
    case .maxConsecutive(let limit): ("maxConsecutive", .maximumRun(.consecutive, limit))
    case .maxRepeating(let limit): ("maxRepeating", .maximumRun(.repeating, limit))
    case .maxSequential(let limit): ("maxSequential", .maximumRun(.sequential, limit))
    case .minLength(let limit): ("minLength", .minimumLength(limit, unit))
    case .maxLength(let limit): ("maxLength", .maximumLength(limit, unit))
    }
  }
}

extension PasswordReport.Check {
  /// Returns the advice for an unsatisfied rule.
  fileprivate func advice(length: Int, unit: LengthUnit) -> ValidationMessage? {
    let position = violations.first ?? 0..<0
    return switch rule {
    case .required(let classes): state == .violated ? .makeRoom : .addOf(1, classes)
    case .minLength(let limit):
      state == .violated ? .makeRoom : .addCharacters(limit - length, unit)
    case .maxLength(let limit): .removeCharacters(length - limit, unit)
    case .allowed: .removeAt(violations)
    case .maxConsecutive(let limit): .shortenRun(.consecutive, nil, at: position, limit: limit)
    case .maxRepeating(let limit): .shortenRun(.repeating, nil, at: position, limit: limit)
    case .maxSequential(let limit): .shortenRun(.sequential, nil, at: position, limit: limit)
    }
  }
}
