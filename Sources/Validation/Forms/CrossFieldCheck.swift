import SerializedAccess

/// A check of one field that also reads another, such as a password that is typed twice.
///
/// ```swift
/// repeated.require(.equal(to: password))
/// password.require(.notContaining(userName))
/// ```
///
/// It belongs to the field that requires it, stands at the end of that field's report, and is made anew
/// when either field changes. It waits for no other check, and the field says nothing of it until
/// somebody has touched that field. It does not keep the other field, whose last value goes on counting
/// when it is gone.
public struct CrossFieldCheck<Value: Sendable>: Sendable {
  let check: ValidationCheck
  let look: @Sendable (Value, inout Findings) -> Void
  let follow: @Sendable (any DependentField) -> Void

  init<Other>(
    _ name: String, requirement: ValidationMessage,
    severity: ValidationCheck.Severity = .requirement, with other: ValidatedField<Other>,
    look: @escaping @Sendable (Value, Other, inout Findings) -> Void
  ) {
    check = ValidationCheck(id: .init(name), severity: severity, requirement: requirement)
    // The state, not the field: two fields may have checks that read each other.
    let state = other.state
    self.look = { value, findings in
      let otherValue = state.access { $0.value }
      look(value, otherValue, &findings)
    }
    follow = { dependent in
      state.access { state in
        state.dependents.removeAll { $0.field == nil || $0.field === dependent }
        state.dependents.append(WeakDependent(field: dependent))
      }
    }
  }
}

extension CrossFieldCheck {
  /// A check of the app's own.
  ///
  /// - Parameters:
  ///   - name: What the check is called, by which the app finds it in a report.
  ///   - requirement: What is demanded.
  ///   - advice: What to do about it where it does not hold.
  ///   - severity: Whether a value that does not fulfil it is invalid.
  ///   - failure: How a value stands that does not fulfil it: `.notYet` if more typing could help, or
  ///     `.broken`.
  ///   - other: The field that is read as well.
  ///   - isFulfilled: Whether the value of the field and that of the other fulfil it. It is called when
  ///     either changes.
  public init<Other>(
    _ name: String, _ requirement: ValidationMessage, advice: ValidationMessage? = nil,
    severity: ValidationCheck.Severity = .requirement,
    failure: ValidationCheck.State = .broken, with other: ValidatedField<Other>,
    isFulfilled: @escaping @Sendable (_ value: Value, _ other: Other) -> Bool
  ) {
    self.init(name, requirement: requirement, severity: severity, with: other) {
      let holds = isFulfilled($0, $1)
      $2.note(holds ? .satisfied : failure, advice: holds ? nil : advice)
    }
  }
}

extension ValidatedField {
  /// Adds a check that also reads another field, for as long as this field lives.
  ///
  /// To be called when the fields are made, because the report has one check more from then on.
  public func require(_ check: CrossFieldCheck<Value>) {
    settle { state in
      state.crossFieldChecks.append(check)
      state.report.append(check.check)
    }
    // Looked at once more, since the other field may have changed before this one heard of it.
    check.follow(self)
    dependencyDidChange()
  }
}
