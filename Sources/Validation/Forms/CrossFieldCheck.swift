import Concurrency

/// A check of one field that also reads another, such as a password confirmation.
///
/// ```swift
/// repeated.require(.equal(to: password))
/// password.require(.notContaining(userName))
/// ```
///
/// The report lists these checks last, in the order in which they were added. A check runs when
/// either field changes, even if other checks fail. It does not retain the other field; after the
/// release of that field, the check uses the field's last value.
public struct CrossFieldCheck<Value: Sendable>: Sendable {
  let check: ValidationCheck
  /// Records the result for a value of this field and the current value of the other.
  let evaluate: @Sendable (Value, inout CheckResults) -> Void
  /// Makes the other field revalidate a dependent after each change of its own value.
  let follow: @Sendable (Dependent) -> Void

  init<Other>(
    _ name: String, requirement: ValidationMessage,
    severity: ValidationCheck.Severity = .requirement, with other: ValidatedField<Other>,
    evaluate: @escaping @Sendable (Value, Other, inout CheckResults) -> Void
  ) {
    check = ValidationCheck(name, requirement, severity: severity)
    // Only the other field's state is retained, because that field may have a check of this one.
    let state = other.state
    self.evaluate = { value, results in evaluate(value, state.withLock { $0.value }, &results) }
    follow = { dependent in
      let fields = state.withLock { state in
        let fields = state.dependents.map(\.field)
        // One entry for a field is sufficient, because it revalidates all checks of the field.
        state.dependents.removeAll { $0.field == nil || $0.field === dependent.field }
        state.dependents.append(dependent)
        return fields
      }
      // The last reference to a field can be released here, whose `deinit` runs code of the app.
      withExtendedLifetime(fields) {}
    }
  }

  /// Creates a check with a name in the report and a closure that returns whether the values of
  /// this field and the other meet the requirement.
  ///
  /// If the requirement does not hold, the check has the advice and the state `failure`, which
  /// should be `.incomplete` if appending text can help, and `.violated` otherwise.
  public init<Other>(
    _ name: String, _ requirement: ValidationMessage, advice: ValidationMessage? = nil,
    severity: ValidationCheck.Severity = .requirement,
    failure: ValidationCheck.State = .violated, with other: ValidatedField<Other>,
    isFulfilled: @escaping @Sendable (_ value: Value, _ other: Other) -> Bool
  ) {
    self.init(name, requirement: requirement, severity: severity, with: other) {
      let holds = isFulfilled($0, $1)
      $2.record(holds ? .satisfied : failure, advice: holds ? nil : advice)
    }
  }
}

extension ValidatedField {
  /// Adds a check that also reads another field, at the end of the report.
  public func require(_ check: CrossFieldCheck<Value>) {
    // The check first follows the other field, so that no change of that field is missed.
    check.follow(Dependent(field: self) { [weak self] in self?.revalidate { _ in } })
    revalidate { state in
      state.crossFieldChecks.append(check)
      state.report.checks.append(distinct: [check.check])
    }
  }
}

extension CrossFieldCheck where Value: Equatable {
  /// Returns a check that requires the value of another field (`==`).
  public static func equal(
    to other: ValidatedField<Value>, saying requirement: ValidationMessage = .equalToOther
  ) -> CrossFieldCheck {
    CrossFieldCheck("equal", requirement, with: other) { $0 == $1 }
  }
}

extension CrossFieldCheck where Value: StringProtocol {
  /// Returns a check that requires the string of another field (`==`); a prefix is `.incomplete`.
  public static func equal(
    to other: ValidatedField<Value>, saying requirement: ValidationMessage = .equalToOther
  ) -> CrossFieldCheck {
    CrossFieldCheck("equal", requirement: requirement, with: other) {
      $2.record($0.state(toward: $1))
    }
  }

  /// Returns a check that forbids the string of another field, such as the user name.
  ///
  /// Code points are compared after the `Lowercase_Mapping` of Unicode. Strings of fewer than three
  /// code points are always allowed, because many passwords contain them. The positions are those
  /// of the occurrences of the other string.
  public static func notContaining<Other: StringProtocol>(
    _ other: ValidatedField<Other>, saying requirement: ValidationMessage = .notContainingOther
  ) -> CrossFieldCheck {
    CrossFieldCheck("notContaining", requirement: requirement, with: other) {
      let positions = $1.unicodeScalars.count < 3 ? [] : positions(of: $1, in: $0)
      $2.record(positions.isEmpty ? .satisfied : .violated, positions: positions)
    }
  }

  /// Returns the positions of a substring in a string, in code points, ignoring case.
  private static func positions(
    of part: some StringProtocol, in string: some StringProtocol
  ) -> [Range<Int>] {
    let part = part.unicodeScalars.flatMap(\.properties.lowercaseMapping.unicodeScalars)
    // One code point can map to several, all of which have the index of the original code point.
    let scalars = string.unicodeScalars.enumerated().flatMap { index, scalar in
      scalar.properties.lowercaseMapping.unicodeScalars.map { (index: index, scalar: $0) }
    }
    return scalars.map(\.scalar).ranges(of: part).map { range in
      scalars[range.lowerBound].index..<scalars[range.upperBound - 1].index + 1
    }
  }
}

/// A field with a check that reads another field.
struct Dependent: Sendable {
  weak let field: (any AnyObject & Sendable)?
  let revalidate: @Sendable () -> Void
}
