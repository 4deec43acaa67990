public import PasswordRules

extension Validator<String> {
  /// The rules of a rule set, one check for each, as `PasswordRuleSet.check(_:unit:reading:)` finds them.
  ///
  /// A password satisfies all of them exactly if the rule set accepts it, and what a generator makes from the
  /// rule set does. Advice names places and never characters of the password.
  ///
  /// - Parameters:
  ///   - rules: What a password must be like.
  ///   - unit: What the length limits count.
  ///   - reading: What several requirements mean together.
  /// - Returns: Checks named after the rules: `required`, `allowed`, `maxRepeating` and so on.
  public static func password(
    _ rules: PasswordRuleSet, unit: LengthUnit = .codePoints,
    reading: RequirementReading = .distinct
  ) -> Validator {
    let demands = rules.check("", unit: unit, reading: reading).checks.map(\.rule)
    return Validator(checks: checks(of: demands, unit: unit, reading: reading)) {
      password, findings in
      let report = rules.check(password, unit: unit, reading: reading)
      for (index, check) in report.checks.enumerated() {
        findings.note(
          ValidationCheck.State(check.state), at: index,
          advice: check.state == .satisfied ? nil : check.advice(length: report.length, unit: unit),
          places: check.violations)
      }
    }
  }

  private static func checks(
    of rules: [PasswordRule], unit: LengthUnit, reading: RequirementReading
  ) -> [ValidationCheck] {
    var seen: [String: Int] = [:]
    return rules.indices.map { index in
      let rule = rules[index]
      let earlier = reading == .distinct ? rules[..<index].count { $0 == rule } : 0
      let (name, requirement) = rule.demand(occurrence: earlier + 1, unit: unit)
      defer { seen[name, default: 0] += 1 }
      return ValidationCheck(
        id: .init(name, ordinal: seen[name, default: 0]), requirement: requirement)
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
  /// What the rule is called and demands; what is required for the second time demands two characters.
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
  /// What to do about a rule that is not satisfied.
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
