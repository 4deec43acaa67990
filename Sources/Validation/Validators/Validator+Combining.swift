extension Validator {
  /// Returns one check that holds if all requirements of either validator hold.
  ///
  /// It is `.notYet` while more typing can still meet either validator, else `.broken`.
  /// Recommendations of the two are dropped.
  public static func || (left: Validator, right: Validator) -> Validator {
    Validator("either", .either(left.alternatives + right.alternatives)) { value, results in
      let first = left.summary(of: value).state
      if first == .satisfied { return results.note(.satisfied) }
      let second = right.summary(of: value).state
      results.note(
        second == .satisfied ? second : first == .notYet || second == .notYet ? .notYet : .broken)
    }
  }

  /// Returns one check that holds if a requirement does not.
  ///
  /// It is never `.notYet`: more typing may not change a match. Recommendations are dropped.
  public static prefix func ! (validator: Validator) -> Validator {
    Validator("not", validator.demand.negated) { value, results in
      results.note(validator.summary(of: value).state == .satisfied ? .broken : .satisfied)
    }
  }

  /// All requirements as one message.
  var demand: ValidationMessage {
    let requirements = checks.filter { $0.severity == .requirement }.map(\.requirement)
    return requirements.count == 1 ? requirements[0] : .all(requirements)
  }

  /// The alternatives that the requirement consists of.
  private var alternatives: [ValidationMessage] {
    if case .either(let messages) = demand { messages } else { [demand] }
  }
}

extension ValidationMessage {
  fileprivate var negated: ValidationMessage {
    if case .not(let message) = self { message } else { .not(self) }
  }
}

extension Validator {
  /// Returns the same checks for a part of a larger value.
  public func on<Whole>(_ part: @escaping @Sendable (Whole) -> Value) -> Validator<Whole> {
    let validator = self
    return Validator<Whole>(checks: checks) { whole, results in
      validator.evaluate(part(whole), &results)
    }
  }

  /// Returns the checks of a validator for a part, such as a property by its key path.
  public static func at<Part>(
    _ part: @escaping @Sendable (Value) -> Part, _ validator: Validator<Part>
  ) -> Validator {
    validator.on(part)
  }

  /// Returns a check for a value that is not nil.
  public static func present<Wrapped>() -> Validator where Value == Wrapped? {
    Validator("present", .present) { $1.note($0 == nil ? .notYet : .satisfied) }
  }

  /// Returns the checks of a validator for an optional value; all of them hold for nil.
  public static func ifPresent<Wrapped>(
    _ validator: Validator<Wrapped>
  ) -> Validator where Value == Wrapped? {
    Validator(checks: validator.checks) { value, results in
      if let value { return validator.evaluate(value, &results) }
      for index in validator.checks.indices { results.note(.satisfied, at: index) }
    }
  }
}

extension Validator {
  /// The same checks as advice: a value that fails them is still valid.
  public var recommended: Validator {
    replacingChecks { $0.severity = .recommendation }
  }

  /// Returns the same checks under a name by which the app finds them in a report.
  ///
  /// Several checks get the same name and differ in their ordinals.
  public func named(_ name: String) -> Validator {
    var ordinal = 0
    return replacingChecks { check in
      check.id = ValidationCheck.ID(name, ordinal: ordinal)
      ordinal += 1
    }
  }

  /// Returns one check that holds if all requirements do, with a custom text.
  ///
  /// Recommendations are dropped. The custom advice replaces that of the checks, and applies as
  /// long as the check does not hold.
  public func saying(
    _ requirement: ValidationMessage, advising advice: ValidationMessage? = nil
  ) -> Validator {
    let validator = self
    return Validator(checks.first?.id.name ?? "all", requirement) { value, results in
      let summary = validator.summary(of: value)
      results.note(
        summary.state, advice: summary.state == .satisfied ? nil : advice, places: summary.places)
    }
  }
}

extension Validator {
  /// Returns a custom check with its own text.
  ///
  /// - Parameters:
  ///   - name: The name, by which the app finds the check in a report.
  ///   - requirement: The requirement.
  ///   - advice: The action to take if the requirement does not hold.
  ///   - failure: The state of such a value: `.notYet` if more typing could help, or `.broken`.
  ///   - isFulfilled: Returns whether a value meets the requirement; called at every keystroke.
  /// - Returns: A validator of one check.
  public static func custom(
    _ name: String, _ requirement: ValidationMessage, advice: ValidationMessage? = nil,
    failure: ValidationCheck.State = .notYet,
    isFulfilled: @escaping @Sendable (Value) -> Bool
  ) -> Validator {
    custom(name, requirement, advice: advice) { isFulfilled($0) ? .satisfied : failure }
  }

  /// Returns a custom check that determines the state itself.
  ///
  /// - Parameters:
  ///   - name: The name, by which the app finds the check in a report.
  ///   - requirement: The requirement.
  ///   - advice: The action to take if the requirement does not hold.
  ///   - state: Returns the state of a value. It is called at every keystroke.
  /// - Returns: A validator of one check.
  public static func custom(
    _ name: String, _ requirement: ValidationMessage, advice: ValidationMessage? = nil,
    state: @escaping @Sendable (Value) -> ValidationCheck.State
  ) -> Validator {
    Validator(name, requirement) { value, results in
      let state = state(value)
      results.note(state, advice: state == .satisfied ? nil : advice)
    }
  }
}
