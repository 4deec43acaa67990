/// The results of all checks of a value.
public struct ValidationReport: Hashable, Sendable {
  /// The state of a value.
  public enum State: Hashable, Sendable {
    /// The field is untouched, so its validity is not shown.
    case pristine
    /// Every requirement is satisfied.
    case valid
    /// A requirement is not satisfied.
    case invalid
    /// No requirement is known to be unsatisfied, but a check is running.
    case pending
    /// No requirement is known to be unsatisfied, but one was not checked.
    case undetermined
  }

  /// All checks, in the order of the validator.
  public internal(set) var checks: [ValidationCheck]
  /// Whether the user has changed or visited the field.
  public internal(set) var isTouched: Bool

  /// The state of the value, which is ``State/pristine`` until the field is touched.
  public var state: State { isTouched ? outcome : .pristine }

  /// Whether every requirement is satisfied, even if the field is untouched.
  public var isValid: Bool { outcome == .valid }

  /// The state of the value as if the field were touched.
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

  /// The fraction of the requirements that are satisfied, from 0 to 1, or 1 if there are none.
  public var progress: Double {
    let (satisfied, all) = requirementCounts
    return all == 0 ? 1 : Double(satisfied) / Double(all)
  }

  /// The number of satisfied requirements, and the number of all requirements.
  var requirementCounts: (satisfied: Int, all: Int) {
    let requirements = checks.filter { $0.severity == .requirement }
    return (requirements.count { $0.state == .satisfied }, requirements.count)
  }

  /// The requirements that were checked and are not satisfied.
  public var errors: [ValidationCheck] {
    checks.filter { $0.severity == .requirement && $0.isFailed }
  }

  /// The recommendations that the value does not follow.
  public var recommendations: [ValidationCheck] {
    checks.filter { $0.severity == .recommendation && $0.isFailed }
  }

  /// Whether a check is running.
  var isPending: Bool { checks.contains { $0.state == .pending } }
}
