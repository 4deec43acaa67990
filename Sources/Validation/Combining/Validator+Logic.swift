extension Validator {
  /// One check that holds where all requirements of one of the two hold.
  ///
  /// It is `.notYet` while one of the two can still be met by more typing, and else `.broken`.
  /// Recommendations of the two are left out.
  public static func || (left: Validator, right: Validator) -> Validator {
    Validator("either", .either(left.alternatives + right.alternatives)) { value, findings in
      let first = left.summary(of: value).state
      if first == .satisfied { return findings.note(.satisfied) }
      let second = right.summary(of: value).state
      findings.note(
        second == .satisfied ? second : first == .notYet || second == .notYet ? .notYet : .broken)
    }
  }

  /// One check that holds where a requirement does not.
  ///
  /// It is never `.notYet`: whatever held may hold however much is typed. Recommendations are left out.
  public static prefix func ! (validator: Validator) -> Validator {
    Validator("not", validator.demand.negated) { value, findings in
      findings.note(validator.summary(of: value).state == .satisfied ? .broken : .satisfied)
    }
  }

  /// Everything that is required, as one message.
  var demand: ValidationMessage {
    let requirements = checks.filter { $0.severity == .requirement }.map(\.requirement)
    return requirements.count == 1 ? requirements[0] : .all(requirements)
  }

  /// What is required, where one of several alternatives may be it.
  private var alternatives: [ValidationMessage] {
    if case .either(let messages) = demand { messages } else { [demand] }
  }
}

extension ValidationMessage {
  fileprivate var negated: ValidationMessage {
    if case .not(let message) = self { message } else { .not(self) }
  }
}
