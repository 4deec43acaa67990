// Combining and changing validators, and custom validators of an app.
extension Validator {
  /// Returns a validator with one check: all requirements of at least one of the validators hold.
  ///
  /// Otherwise, the check is `.incomplete` if appending text can meet the requirements of one of
  /// them, or `.violated`. Recommendations are ignored.
  public static func || (left: Validator, right: Validator) -> Validator {
    custom("either", .either(left.alternatives + right.alternatives)) { value in
      let first = left.summary(of: value).state
      if first == .satisfied { return first }
      let second = right.summary(of: value).state
      if second == .satisfied { return second }
      return [first, second].contains(.incomplete) ? .incomplete : .violated
    }
  }

  /// Returns a validator with one check: at least one requirement of another does not hold.
  ///
  /// Otherwise, it is `.violated`, even if appending text could help. Recommendations are ignored.
  public static prefix func ! (validator: Validator) -> Validator {
    let requirement = validator.combinedRequirement
    let negated: ValidationMessage =
      if case .not(let message) = requirement { message } else { .not(requirement) }
    return custom("not", negated, failure: .violated) {
      validator.summary(of: $0).state != .satisfied
    }
  }

  /// One requirement for all requirements of the validator, without its recommendations.
  var combinedRequirement: ValidationMessage {
    let requirements = checks.filter { $0.severity == .requirement }.map(\.requirement)
    return requirements.count == 1 ? requirements[0] : .all(requirements)
  }

  /// The requirements of which at least one must hold.
  private var alternatives: [ValidationMessage] {
    if case .either(let messages) = combinedRequirement { messages } else { [combinedRequirement] }
  }

  /// Returns a validator that applies another to a part of the value, such as that of a key path.
  public static func at<Part>(
    _ part: @escaping @Sendable (Value) -> Part, _ validator: Validator<Part>
  ) -> Validator {
    Validator(checks: validator.checks) { whole, results in
      validator.evaluate(part(whole), &results)
    }
  }

  /// Returns a validator that requires a value; nil is `.incomplete`.
  public static func present<Wrapped>() -> Validator where Value == Wrapped? {
    custom("present", .present) { $0 != nil }
  }

  /// Returns a validator that applies the checks of another to an optional value; all hold for nil.
  public static func ifPresent<Wrapped>(
    _ validator: Validator<Wrapped>
  ) -> Validator where Value == Wrapped? {
    Validator(checks: validator.checks) { value, results in
      if let value { return validator.evaluate(value, &results) }
      for index in validator.checks.indices { results.record(.satisfied, at: index) }
    }
  }

  /// The same checks as recommendations; a value that fails them is still valid.
  public var recommended: Validator { replacingChecks { $0.severity = .recommendation } }

  /// Returns a validator with the same checks, which this name and an ordinal identify in a report.
  public func named(_ name: String) -> Validator {
    replacingChecks { $0.id = ValidationCheck.ID(name: name, ordinal: 0) }
  }

  /// Returns a validator with one check: all requirements hold.
  ///
  /// The check has a custom message and advice. Recommendations are ignored.
  public func saying(
    _ requirement: ValidationMessage, advising advice: ValidationMessage? = nil
  ) -> Validator {
    let validator = self
    return Validator(checks.first?.id.name ?? "all", requirement) { value, results in
      let summary = validator.summary(of: value)
      results.record(
        summary.state, advice: summary.state == .satisfied ? nil : advice,
        positions: summary.positions)
    }
  }

  /// Returns a validator with one check, which has a name in the report and a closure that returns,
  /// at every keystroke, whether a value meets the requirement.
  ///
  /// If the requirement does not hold, the check has the advice and the state `failure`, which
  /// should be `.incomplete` if appending text can help, and `.violated` otherwise.
  public static func custom(
    _ name: String, _ requirement: ValidationMessage, advice: ValidationMessage? = nil,
    failure: ValidationCheck.State = .incomplete,
    isFulfilled: @escaping @Sendable (Value) -> Bool
  ) -> Validator {
    custom(name, requirement, advice: advice) { isFulfilled($0) ? .satisfied : failure }
  }

  /// Returns a validator with one check, which has a name in the report and a closure that returns,
  /// at every keystroke, the state for a value.
  public static func custom(
    _ name: String, _ requirement: ValidationMessage, advice: ValidationMessage? = nil,
    state: @escaping @Sendable (Value) -> ValidationCheck.State
  ) -> Validator {
    Validator(name, requirement) { value, results in
      let state = state(value)
      results.record(state, advice: state == .satisfied ? nil : advice)
    }
  }
}
