public import PasswordRules

// The checks of a set of password rules.
extension Validator<String> {
  /// Returns a validator with the results of `PasswordRuleSet.check(_:unit:matching:)`.
  ///
  /// The checks have the names of the rules, such as `maxRepeating`. Advice contains positions, and
  /// never characters of the password.
  public static func password(
    _ rules: PasswordRuleSet, unit: LengthUnit = .codePoints,
    matching mode: RequirementMatchingMode = .distinct
  ) -> Validator {
    var occurrences: [PasswordRule: Int] = [:]
    let checks = rules.check("", unit: unit, matching: mode).checks.map { check in
      if mode == .distinct { occurrences[check.rule, default: 0] += 1 }
      return check.rule.check(occurrence: occurrences[check.rule] ?? 1, unit: unit)
    }
    return Validator(checks: checks) { password, results in
      let report = rules.check(password, unit: unit, matching: mode)
      for (index, check) in report.checks.enumerated() {
        let state: ValidationCheck.State =
          switch check.state {
          case .satisfied: .satisfied
          case .incomplete: .incomplete
          case .violated: .violated
          }
        results.record(
          state, at: index,
          advice: state == .satisfied ? nil : check.advice(length: report.length, unit: unit),
          positions: check.violations)
      }
    }
  }
}

extension PasswordRule {
  /// Returns the check of a rule; a class that is required twice requires two characters.
  fileprivate func check(occurrence: Int, unit: LengthUnit) -> ValidationCheck {
    switch self {
    case .required(let classes): .init("required", .minimumOf(occurrence, classes))
    case .allowed(let classes): .init("allowed", .onlyOf(classes))
    case .maxConsecutive(let limit): .init("maxConsecutive", .maximumRun(.consecutive, limit))
    case .maxRepeating(let limit): .init("maxRepeating", .maximumRun(.repeating, limit))
    case .maxSequential(let limit): .init("maxSequential", .maximumRun(.sequential, limit))
    case .minLength(let limit): .init("minLength", .minimumLength(limit, unit))
    case .maxLength(let limit): .init("maxLength", .maximumLength(limit, unit))
    }
  }
}

extension PasswordReport.Check {
  /// Returns the advice for a rule that a password of a length in the unit does not satisfy.
  fileprivate func advice(length: Int, unit: LengthUnit) -> ValidationMessage? {
    let position = violations.first ?? 0..<0
    return switch rule {
    case .required(let classes): state == .violated ? .replaceCharacters : .addOf(1, classes)
    case .minLength(let limit):
      state == .violated ? .replaceCharacters : .addCharacters(limit - length, unit)
    case .maxLength(let limit): .removeCharacters(length - limit, unit)
    case .allowed: .removeAt(violations)
    case .maxConsecutive(let limit): .shortenRun(.consecutive, nil, at: position, limit: limit)
    case .maxRepeating(let limit): .shortenRun(.repeating, nil, at: position, limit: limit)
    case .maxSequential(let limit): .shortenRun(.sequential, nil, at: position, limit: limit)
    }
  }
}
