extension Validator {
  /// Returns a validator with the checks of both validators.
  public static func && (left: Validator, right: Validator) -> Validator {
    var joined = left
    joined.append(right)
    return joined
  }

  /// Returns one check that is satisfied if all requirements of at least one validator are.
  ///
  /// Otherwise, the check is `.incomplete` if appending text can satisfy one of the validators, and
  /// `.violated` if not. Recommendations are ignored.
  public static func || (left: Validator, right: Validator) -> Validator {
    custom("either", .either(left.alternatives + right.alternatives)) { value in
      let first = left.summary(of: value).state
      if first == .satisfied { return first }
      let second = right.summary(of: value).state
      if second == .satisfied { return second }
      return [first, second].contains(.incomplete) ? .incomplete : .violated
    }
  }

  /// Returns one check that is satisfied if a requirement of a validator is not.
  ///
  /// Otherwise, the check is `.violated`, even if appending text could help. Recommendations are
  /// ignored.
  public static prefix func ! (validator: Validator) -> Validator {
    let requirement = validator.combinedRequirement
    let negated: ValidationMessage =
      if case .not(let message) = requirement { message } else { .not(requirement) }
    return custom("not", negated, failure: .violated) {
      validator.summary(of: $0).state != .satisfied
    }
  }

  /// A message that combines all requirements.
  var combinedRequirement: ValidationMessage {
    let requirements = checks.filter { $0.severity == .requirement }.map(\.requirement)
    return requirements.count == 1 ? requirements[0] : .all(requirements)
  }

  /// The requirements, at least one of which must be satisfied.
  private var alternatives: [ValidationMessage] {
    if case .either(let messages) = combinedRequirement { messages } else { [combinedRequirement] }
  }

  /// Returns the same checks for a part of another value.
  public func on<Whole>(_ part: @escaping @Sendable (Whole) -> Value) -> Validator<Whole> {
    let validator = self
    return Validator<Whole>(checks: checks) { whole, results in
      validator.evaluate(part(whole), &results)
    }
  }

  /// Returns the checks of a validator for a part of the value, such as the property of a key path.
  public static func at<Part>(
    _ part: @escaping @Sendable (Value) -> Part, _ validator: Validator<Part>
  ) -> Validator { validator.on(part) }

  /// Returns the checks of a validator for an optional value; nil satisfies all of them.
  public static func ifPresent<Wrapped>(
    _ validator: Validator<Wrapped>
  ) -> Validator where Value == Wrapped? {
    Validator(checks: validator.checks) { value, results in
      if let value { return validator.evaluate(value, &results) }
      for index in validator.checks.indices { results.record(.satisfied, at: index) }
    }
  }
}
