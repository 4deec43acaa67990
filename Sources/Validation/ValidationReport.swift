/// The results of all checks of a value.
public struct ValidationReport: Hashable, Sendable {
  /// The state of a value.
  public enum State: Hashable, Sendable {
    /// The field is untouched, so its validity is not shown.
    case pristine
    /// Every requirement holds.
    case valid
    /// A requirement does not hold.
    case invalid
    /// No requirement is known to fail, but a check is running.
    case pending
    /// No requirement is known to fail, but a requirement was not checked.
    case undetermined
  }

  /// All checks, in the order of the validator.
  public internal(set) var checks: [ValidationCheck]
  /// Whether the user has changed or visited the field.
  public internal(set) var isTouched: Bool
  /// Whether the value is nil, or an empty text or collection.
  var isEmpty = false

  /// The state of the value, which is ``State/pristine`` until the field is touched.
  public var state: State { isTouched ? outcome : .pristine }

  /// Whether every requirement holds, even if the field is untouched.
  public var isValid: Bool { outcome == .valid }

  /// The state as if the field were touched.
  private var outcome: State {
    var outcome = State.valid
    for check in checks where check.severity == .requirement {
      switch check.state {
      case .satisfied: continue
      case .incomplete, .violated: return .invalid
      case .pending: outcome = .pending
      case .waiting, .unavailable: if outcome == .valid { outcome = .undetermined }
      }
    }
    return outcome
  }

  /// The fraction of the requirements that hold, from 0 to 1, or 1 if there are none.
  ///
  /// Those of an empty value count only if all requirements hold, so that an empty field has 0.
  public var progress: Double { [self].progress }

  /// The requirements that do not hold, except those that have not been checked.
  public var errors: [ValidationCheck] { requirements.filter(\.isFailed) }

  /// The recommendations that the value does not follow.
  public var recommendations: [ValidationCheck] {
    checks.filter { $0.severity == .recommendation && $0.isFailed }
  }

  fileprivate var requirements: [ValidationCheck] { checks.filter { $0.severity == .requirement } }

  var isPending: Bool { checks.contains { $0.state == .pending } }

  /// Evaluates all checks, and whether the value is empty; returns whether any result differs.
  mutating func update<Value>(
    with value: Value, _ evaluate: (inout CheckResults) -> Void
  ) -> Bool {
    let wasEmpty = isEmpty
    var results = CheckResults(checks: checks)
    checks = []
    evaluate(&results)
    checks = results.checks
    isEmpty =
      switch value {
      case let text as String: text.isEmpty
      case let collection as any Collection: collection.isEmpty
      case let optional as any OptionalValue: optional.isNil
      default: false
      }
    return results.hasChanges || isEmpty != wasEmpty
  }
}

extension [ValidationReport] {
  /// The number of requirements that hold, and the number of all requirements.
  ///
  /// Unless every value is valid, the requirements of an empty value do not count as satisfied.
  var requirementCounts: (satisfied: Int, all: Int) {
    let counted = allSatisfy(\.isValid) ? self : filter { !$0.isEmpty }
    let satisfied = counted.flatMap(\.requirements).count { $0.state == .satisfied }
    return (satisfied, flatMap(\.requirements).count)
  }

  var progress: Double {
    let (satisfied, all) = requirementCounts
    return all == 0 ? 1 : Double(satisfied) / Double(all)
  }

  func progressText(in language: ValidationLanguage) -> String {
    let (satisfied, all) = requirementCounts
    return language.text(of: .progress(satisfied, of: all))
  }
}

private protocol OptionalValue {
  var isNil: Bool { get }
}

extension Optional: OptionalValue {
  fileprivate var isNil: Bool { self == nil }
}
