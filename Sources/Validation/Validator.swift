/// A list of checks of a value.
///
/// ```swift
/// let name: Validator<String> = .notEmpty && .count(...20)
/// name.report(for: "").errors
/// ```
public struct Validator<Value>: Sendable {
  /// The checks in their state before an evaluation.
  private(set) var checks: [ValidationCheck] = []
  /// Evaluates the checks, the first of which is at the offset of the results.
  let evaluate: @Sendable (Value, inout CheckResults) -> Void

  init(
    checks: [ValidationCheck], evaluate: @escaping @Sendable (Value, inout CheckResults) -> Void
  ) {
    self.evaluate = evaluate
    self.checks.append(distinct: checks)
  }

  init(
    _ name: String, _ requirement: ValidationMessage,
    evaluate: @escaping @Sendable (Value, inout CheckResults) -> Void
  ) {
    self.init(checks: [ValidationCheck(name, requirement)], evaluate: evaluate)
  }

  /// Returns the report on a value, as for a touched field.
  public func report(for value: Value) -> ValidationReport {
    var report = ValidationReport(checks: checks, isTouched: true)
    _ = report.update(with: value) { evaluate(value, &$0) }
    return report
  }

  /// A closure that returns the English text of the first requirement that a value does not meet;
  /// nil if it meets all of them.
  ///
  /// It is a check for a setting:
  /// `@StoredValue("port", validating: Validator.in(1...65535).firstMessage) var port = 8080`.
  /// Recommendations are ignored. Any state other than `.satisfied` counts as not met. The text is
  /// that of the requirement, which says what is allowed, and not of the advice.
  public var firstMessage: @Sendable (Value) -> String? {
    { value in
      let failed = report(for: value).checks.first {
        $0.severity == .requirement && $0.state != .satisfied
      }
      return failed?.requirement.text(in: .english)
    }
  }

  /// Returns the combined state of all requirements for a value.
  func summary(of value: Value) -> Summary {
    var results = CheckResults(checks: checks, summary: Summary())
    evaluate(value, &results)
    return results.summary ?? Summary()
  }

  func replacingChecks(_ change: (inout ValidationCheck) -> Void) -> Validator {
    var checks = checks
    for index in checks.indices { change(&checks[index]) }
    return Validator(checks: checks, evaluate: evaluate)
  }

  /// Returns a validator with the checks of both validators.
  public static func && (left: Validator, right: Validator) -> Validator {
    let count = left.checks.count
    return Validator(checks: left.checks + right.checks) {
      [left = left.evaluate, right = right.evaluate] value, results in
      left(value, &results)
      results.offset += count
      right(value, &results)
      results.offset -= count
    }
  }
}
