public import PasswordRules

extension Validator<String> {
  /// Returns one check for each rule, with the results of `PasswordRuleSet.check(_:unit:reading:)`.
  ///
  /// A password satisfies all checks if and only if the rule set accepts it, as it does for
  /// generated ones. Advice contains places, never characters of the password.
  ///
  /// - Parameters:
  ///   - rules: The rules for a password.
  ///   - unit: The unit of the length limits.
  ///   - reading: How several requirements combine.
  /// - Returns: Checks named after the rules: `required`, `allowed`, `maxRepeating` and so on.
  public static func password(
    _ rules: PasswordRuleSet, unit: LengthUnit = .codePoints,
    reading: RequirementMatchingMode = .distinct
  ) -> Validator {
    let demands = rules.check("", unit: unit, reading: reading).checks.map(\.rule)
    return Validator(checks: checks(of: demands, unit: unit, reading: reading)) {
      password, results in
      let report = rules.check(password, unit: unit, reading: reading)
      for (index, check) in report.checks.enumerated() {
        results.note(
          ValidationCheck.State(check.state), at: index,
          advice: check.state == .satisfied ? nil : check.advice(length: report.length, unit: unit),
          places: check.violations)
      }
    }
  }

  private static func checks(
    of rules: [PasswordRule], unit: LengthUnit, reading: RequirementMatchingMode
  ) -> [ValidationCheck] {
    var occurrences: [PasswordRule: Int] = [:]
    return rules.map { rule in
      if reading == .distinct { occurrences[rule, default: 0] += 1 }
      let (name, requirement) = rule.demand(occurrence: occurrences[rule] ?? 1, unit: unit)
      return ValidationCheck(id: .init(name), requirement: requirement)
    }
  }
}

extension ValidationCheck.State {
  init(_ state: PasswordReport.State) {
    switch state {
    case .satisfied: self = .satisfied
    case .notYet: self = .notYet
    case .broken: self = .broken
    }
  }
}

extension PasswordRule {
  /// Returns the name and the message of the rule; a second requirement needs two characters.
  fileprivate func demand(
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
  /// Returns the advice for a rule that is not satisfied.
  fileprivate func advice(length: Int, unit: LengthUnit) -> ValidationMessage? {
    let place = violations.first ?? 0..<0
    return switch rule {
    case .required(let classes): state == .broken ? .makeRoom : .addOf(1, classes)
    case .minLength(let limit):
      state == .broken ? .makeRoom : .addCharacters(limit - length, unit)
    case .maxLength(let limit): .removeCharacters(length - limit, unit)
    case .allowed: .removeAt(violations)
    case .maxConsecutive(let limit): .shortenRun(.consecutive, nil, at: place, limit: limit)
    case .maxRepeating(let limit): .shortenRun(.repeating, nil, at: place, limit: limit)
    case .maxSequential(let limit): .shortenRun(.sequential, nil, at: place, limit: limit)
    }
  }
}
