/// How a value stands before all checks of its validator.
public struct ValidationReport: Hashable, Sendable {
  /// How a value stands.
  public enum State: Hashable, Sendable {
    /// Nobody has changed or left the field yet, so that nothing is to be said about it.
    case pristine
    /// Every requirement holds.
    case valid
    /// A requirement does not hold.
    case invalid
    /// No requirement is known not to hold, but an answer is awaited.
    case pending
    /// No requirement is known not to hold, but one could not be checked.
    case undetermined
  }

  /// All checks, in the order of the validator.
  public internal(set) var checks: [ValidationCheck]
  /// Whether the field was changed or left.
  public internal(set) var isTouched: Bool

  /// How the value stands, ``State/pristine`` until the field is touched.
  public var state: State { isTouched ? outcome : .pristine }

  /// Whether every requirement holds, touched or not.
  public var isValid: Bool { outcome == .valid }

  private var outcome: State {
    var outcome = State.valid
    for check in checks where check.severity == .requirement {
      switch check.state {
      case .satisfied: continue
      case .notYet, .broken: return .invalid
      case .pending: outcome = .pending
      case .waiting, .unavailable: if outcome == .valid { outcome = .undetermined }
      }
    }
    return outcome
  }

  /// The share of the requirements that hold, 0 to 1; 1 where there are none.
  public var progress: Double {
    var (required, satisfied) = (0, 0)
    for check in checks where check.severity == .requirement {
      required += 1
      if check.state == .satisfied { satisfied += 1 }
    }
    return required == 0 ? 1 : Double(satisfied) / Double(required)
  }

  /// The requirements that do not hold, without those whose answer is awaited.
  public var errors: [ValidationCheck] {
    checks.filter { $0.severity == .requirement && $0.isFailed }
  }

  /// The recommendations that the value does not follow.
  public var recommendations: [ValidationCheck] {
    checks.filter { $0.severity == .recommendation && $0.isFailed }
  }
}

extension ValidationCheck {
  fileprivate var isFailed: Bool { state == .notYet || state == .broken }
}
