import SerializedAccess

/// A check of one field that also reads another, such as a password confirmation.
///
/// ```swift
/// repeated.require(.equal(to: password))
/// password.require(.notContaining(userName))
/// ```
///
/// It belongs to the field that requires it, comes at the end of that field's report, and runs when
/// either field changes. It waits for no other check; the field does not show the result until it
/// is touched. It does not retain the other field; after that is released, its last value remains
/// in use.
public struct CrossFieldCheck<Value: Sendable>: Sendable {
  let check: ValidationCheck
  let evaluate: @Sendable (Value, inout CheckResults) -> Void
  let follow: @Sendable (any DependentField) -> Void

  init<Other>(
    _ name: String, requirement: ValidationMessage,
    severity: ValidationCheck.Severity = .requirement, with other: ValidatedField<Other>,
    evaluate: @escaping @Sendable (Value, Other, inout CheckResults) -> Void
  ) {
    check = ValidationCheck(id: .init(name), severity: severity, requirement: requirement)
    // The state, not the field: two fields may have checks that read each other.
    let state = other.state
    self.evaluate = { value, results in
      let otherValue = state.access { $0.value }
      evaluate(value, otherValue, &results)
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
  /// Creates a custom check.
  ///
  /// - Parameters:
  ///   - name: The name, by which the app finds the check in a report.
  ///   - requirement: The requirement.
  ///   - advice: The action to take if the requirement does not hold.
  ///   - severity: Whether a value that does not meet it is invalid.
  ///   - failure: The state of such a value: `.notYet` if more typing could help, or `.broken`.
  ///   - other: The other field that the check reads.
  ///   - isFulfilled: Returns whether the values of this field and of the other meet the
  ///     requirement. It is called when either changes.
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
  /// Adds a check that also reads another field, for the lifetime of this field.
  ///
  /// Call it when the fields are created, because it adds a check to the report.
  public func require(_ check: CrossFieldCheck<Value>) {
    revalidate { state in
      state.crossFieldChecks.append(check)
      state.report.checks.append(distinct: [check.check])
    }
    // Evaluated again, since the other field may have changed before this one was registered.
    check.follow(self)
    dependencyDidChange()
  }
}

extension CrossFieldCheck where Value: Equatable {
  /// Returns a check for the same value (`==`) as in another field.
  public static func equal(
    to other: ValidatedField<Value>, saying requirement: ValidationMessage = .equalToOther
  ) -> CrossFieldCheck {
    CrossFieldCheck("equal", requirement, with: other) { $0 == $1 }
  }
}

extension CrossFieldCheck where Value: StringProtocol {
  /// Returns a check for the same text (`==`) as in another field; `.notYet` for a prefix of it.
  public static func equal(
    to other: ValidatedField<Value>, saying requirement: ValidationMessage = .equalToOther
  ) -> CrossFieldCheck {
    CrossFieldCheck("equal", requirement: requirement, with: other) {
      if $0 == $1 { $2.note(.satisfied) } else { $2.note($1.hasPrefix($0) ? .notYet : .broken) }
    }
  }

  /// Returns a check that a text does not contain that of another field, such as the user name.
  ///
  /// Case is ignored: both texts are compared by code points after Unicode's `Lowercase_Mapping`.
  /// Names of fewer than three code points are always allowed, since most passwords would contain
  /// them. The check's places locate the other text.
  public static func notContaining<Other: StringProtocol>(
    _ other: ValidatedField<Other>, saying requirement: ValidationMessage = .notContainingOther
  ) -> CrossFieldCheck {
    CrossFieldCheck(
      "notContaining", requirement: requirement, with: other
    ) { value, other, results in
      let places = other.unicodeScalars.count < 3 ? [] : places(of: other, in: value)
      results.note(places.isEmpty ? .satisfied : .broken, places: places)
    }
  }

  /// Returns the places of a text in another, ignoring case, in code points from the start.
  private static func places(
    of part: some StringProtocol, in text: some StringProtocol
  ) -> [Range<Int>] {
    let part = part.unicodeScalars.flatMap(\.properties.lowercaseMapping.unicodeScalars)
    // One code point can map to several, each of which keeps its number.
    let text = text.unicodeScalars.enumerated().flatMap { number, scalar in
      scalar.properties.lowercaseMapping.unicodeScalars.map { (number: number, scalar: $0) }
    }
    var places: [Range<Int>] = []
    var start = 0
    while start + part.count <= text.count {
      let end = start + part.count
      if text[start..<end].lazy.map(\.scalar).elementsEqual(part) {
        places.append(text[start].number..<text[end - 1].number + 1)
        start = end
      } else {
        start += 1
      }
    }
    return places
  }
}
