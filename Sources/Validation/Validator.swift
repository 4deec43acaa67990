/// A list of checks of a value.
///
/// ```swift
/// let name: Validator<String> = .notEmpty && .count(...20)
/// name.report(for: "").errors
/// ```
public struct Validator<Value>: Sendable {
  /// A function that evaluates several checks.
  struct Rule: Sendable {
    let count: Int
    let evaluate: @Sendable (Value, inout CheckResults) -> Void
  }

  /// The checks in their state before an evaluation.
  private(set) var checks: [ValidationCheck]
  private(set) var rules: [Rule]

  /// Creates a validator with checks that one function evaluates.
  init(
    checks: [ValidationCheck], evaluate: @escaping @Sendable (Value, inout CheckResults) -> Void
  ) {
    self.checks = []
    self.checks.append(distinct: checks)
    rules = [Rule(count: checks.count, evaluate: evaluate)]
  }

  /// Creates a validator with one check.
  init(
    _ name: String, _ requirement: ValidationMessage,
    evaluate: @escaping @Sendable (Value, inout CheckResults) -> Void
  ) { self.init(checks: [ValidationCheck(name, requirement)], evaluate: evaluate) }

  /// Returns the report on a value, as for a touched field.
  public func report(for value: Value) -> ValidationReport {
    var report = ValidationReport(checks: checks, isTouched: true)
    update(&report, with: value)
    return report
  }

  /// Evaluates a value and updates the checks of this validator, which come first in the report.
  func update(_ report: inout ValidationReport, with value: Value) {
    var results = CheckResults(report.checks)
    report.checks = []
    evaluate(value, &results)
    report.checks = results.checks
  }

  /// Evaluates all rules, beginning at the offset of the results, and then restores the offset.
  func evaluate(_ value: Value, _ results: inout CheckResults) {
    let offset = results.offset
    for rule in rules {
      rule.evaluate(value, &results)
      results.offset += rule.count
    }
    results.offset = offset
  }

  /// Returns the combined state of all requirements.
  func summary(of value: Value) -> Summary {
    var results = CheckResults(summarizing: checks)
    evaluate(value, &results)
    return results.summary ?? Summary()
  }

  /// Appends the checks of another validator.
  mutating func append(_ other: Validator) {
    rules += other.rules
    checks.append(distinct: other.checks)
  }

  /// Returns a validator with the same rules, after changing each check.
  func replacingChecks(_ change: (inout ValidationCheck) -> Void) -> Validator {
    var checks = checks
    for index in checks.indices { change(&checks[index]) }
    return Validator(checks: checks, evaluate: evaluate)
  }
}

extension Validator {
  /// Returns a custom check with one state for all values that fail it.
  ///
  /// - Parameters:
  ///   - name: The name that identifies the check in a report.
  ///   - requirement: The requirement.
  ///   - advice: The action to take if the requirement is not satisfied.
  ///   - failure: The state if the requirement is not satisfied: `.incomplete` if appending text
  ///     can help, otherwise `.violated`.
  ///   - isSatisfied: A closure that returns whether a value satisfies the requirement. It is
  ///     called at every keystroke.
  /// - Returns: A validator with one check.
  public static func custom(
    _ name: String, _ requirement: ValidationMessage, advice: ValidationMessage? = nil,
    failure: ValidationCheck.State = .incomplete,
    isSatisfied: @escaping @Sendable (Value) -> Bool
  ) -> Validator {
    custom(name, requirement, advice: advice) { isSatisfied($0) ? .satisfied : failure }
  }

  /// Returns a custom check with a closure that determines the state.
  ///
  /// - Parameters:
  ///   - name: The name that identifies the check in a report.
  ///   - requirement: The requirement.
  ///   - advice: The action to take if the requirement is not satisfied.
  ///   - state: A closure that returns the state for a value. It is called at every keystroke.
  /// - Returns: A validator with one check.
  public static func custom(
    _ name: String, _ requirement: ValidationMessage, advice: ValidationMessage? = nil,
    state: @escaping @Sendable (Value) -> ValidationCheck.State
  ) -> Validator {
    Validator(name, requirement) { value, results in
      let state = state(value)
      results.record(state, advice: state == .satisfied ? nil : advice)
    }
  }

  /// The same checks as recommendations; a value that fails them is still valid.
  public var recommended: Validator { replacingChecks { $0.severity = .recommendation } }

  /// Returns the same checks, identified in a report by this name and an ordinal.
  public func named(_ name: String) -> Validator {
    replacingChecks { $0.id = ValidationCheck.ID(name) }
  }

  /// Returns one check with a custom message, which is satisfied if all requirements are.
  ///
  /// Recommendations are ignored. If the check is not satisfied, the custom advice replaces the
  /// advice of the combined checks.
  public func withMessage(
    _ requirement: ValidationMessage, advice: ValidationMessage? = nil
  ) -> Validator {
    let validator = self
    return Validator(checks.first?.id.name ?? "all", requirement) { value, results in
      let summary = validator.summary(of: value)
      results.record(
        summary.state, advice: summary.state == .satisfied ? nil : advice,
        positions: summary.positions)
    }
  }
}
