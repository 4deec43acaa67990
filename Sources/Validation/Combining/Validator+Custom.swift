extension Validator {
  /// A demand of the app's own, in its own words.
  ///
  /// - Parameters:
  ///   - name: What the check is called, by which the app finds it in a report.
  ///   - requirement: What is demanded.
  ///   - advice: What to do about it where it does not hold.
  ///   - failure: How a value stands that does not fulfil it: `.notYet` if more typing could help, or
  ///     `.broken`.
  ///   - isFulfilled: Whether a value fulfils it. It is called at every keystroke.
  /// - Returns: A validator of one check.
  public static func custom(
    _ name: String, _ requirement: ValidationMessage, advice: ValidationMessage? = nil,
    failure: ValidationCheck.State = .notYet,
    isFulfilled: @escaping @Sendable (Value) -> Bool
  ) -> Validator {
    Validator(name, requirement) { value, findings in
      let holds = isFulfilled(value)
      findings.note(holds ? .satisfied : failure, advice: holds ? nil : advice)
    }
  }

  /// A demand of the app's own that tells by itself how a value stands.
  ///
  /// - Parameters:
  ///   - name: What the check is called, by which the app finds it in a report.
  ///   - requirement: What is demanded.
  ///   - advice: What to do about it where it does not hold.
  ///   - state: How a value stands. It is called at every keystroke.
  /// - Returns: A validator of one check.
  public static func custom(
    _ name: String, _ requirement: ValidationMessage, advice: ValidationMessage? = nil,
    state: @escaping @Sendable (Value) -> ValidationCheck.State
  ) -> Validator {
    Validator(name, requirement) { value, findings in
      let state = state(value)
      findings.note(state, advice: state == .satisfied ? nil : advice)
    }
  }
}
