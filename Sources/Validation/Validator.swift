/// What is demanded of a value, as a list of checks.
///
/// ```swift
/// let name: Validator<String> = .notEmpty && .count(...20)
/// name.report(for: "").errors
/// ```
public struct Validator<Value>: Sendable {
  /// Finds out how a value stands before some checks.
  struct Rule: Sendable {
    let count: Int
    let look: @Sendable (Value, inout Findings) -> Void
  }

  /// The checks before any value was seen.
  private(set) var checks: [ValidationCheck]
  private(set) var rules: [Rule]

  /// A validator of these checks, all of which one function looks at.
  init(
    checks: [ValidationCheck], look: @escaping @Sendable (Value, inout Findings) -> Void
  ) {
    self.checks = checks
    rules = [Rule(count: checks.count, look: look)]
  }

  /// A validator of one check.
  init(
    _ name: String, _ requirement: ValidationMessage,
    look: @escaping @Sendable (Value, inout Findings) -> Void
  ) {
    self.init(checks: [ValidationCheck(id: .init(name), requirement: requirement)], look: look)
  }

  /// How a value stands, as of somebody who has finished typing it.
  public func report(for value: Value) -> ValidationReport {
    var report = ValidationReport(checks: checks, isTouched: true)
    update(&report, with: value)
    return report
  }

  /// Looks at a value anew in a report of this validator, whose checks come first there.
  func update(_ report: inout ValidationReport, with value: Value) {
    var findings = Findings(report.checks)
    report.checks = []
    look(at: value, &findings)
    report.checks = findings.checks
  }

  /// Notes how a value stands, and leaves the offset of the findings as it was.
  func look(at value: Value, _ findings: inout Findings) {
    let offset = findings.offset
    for rule in rules {
      rule.look(value, &findings)
      findings.offset += rule.count
    }
    findings.offset = offset
  }

  /// How all requirements stand together.
  func summary(of value: Value) -> Summary {
    var findings = Findings(summarizing: checks)
    look(at: value, &findings)
    return findings.summary ?? Summary()
  }

  /// The same rules under other checks, one for each.
  func replacingChecks(_ change: (inout ValidationCheck) -> Void) -> Validator {
    var changed = self
    for index in checks.indices { change(&changed.checks[index]) }
    return changed
  }
}

extension Validator {
  /// All checks of both.
  public static func && (left: Validator, right: Validator) -> Validator {
    var joined = left
    joined.rules += right.rules
    for var check in right.checks {
      let sameName = joined.checks.count { $0.id.name == check.id.name }
      check.id = ValidationCheck.ID(check.id.name, ordinal: sameName)
      joined.checks.append(check)
    }
    return joined
  }
}
