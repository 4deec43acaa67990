extension Validator {
  /// The same checks of a part of something larger.
  public func on<Whole>(_ part: @escaping @Sendable (Whole) -> Value) -> Validator<Whole> {
    let validator = self
    return Validator<Whole>(checks: checks) { whole, findings in
      validator.look(at: part(whole), &findings)
    }
  }

  /// What is demanded of a part, such as of a property by its key path.
  public static func at<Part>(
    _ part: @escaping @Sendable (Value) -> Part, _ validator: Validator<Part>
  ) -> Validator {
    validator.on(part)
  }

  /// That there is a value.
  public static func present<Wrapped>() -> Validator where Value == Wrapped? {
    Validator("present", .present) { $1.note($0 == nil ? .notYet : .satisfied) }
  }

  /// What is demanded of a value if there is one; all of it holds where there is none.
  public static func ifPresent<Wrapped>(
    _ validator: Validator<Wrapped>
  ) -> Validator where Value == Wrapped? {
    Validator(checks: validator.checks) { value, findings in
      if let value { return validator.look(at: value, &findings) }
      for index in validator.checks.indices { findings.note(.satisfied, at: index) }
    }
  }
}
