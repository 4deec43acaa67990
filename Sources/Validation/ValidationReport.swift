/// The results of all checks of a value.
public struct ValidationReport: Hashable, Sendable {
  /// The state of a value.
  public enum State: Hashable, Sendable {
    /// The field is untouched, so nothing is reported about it.
    case pristine
    /// Every requirement holds.
    case valid
    /// A requirement does not hold.
    case invalid
    /// No requirement is known to fail, but an answer is pending.
    case pending
    /// No requirement is known to fail, but one could not be checked.
    case undetermined
  }

  /// All checks, in the order of the validator.
  public internal(set) var checks: [ValidationCheck]
  /// Whether the field was changed or left.
  public internal(set) var isTouched: Bool

  /// The state of the value; ``State/pristine`` until the field is touched.
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

  /// The fraction of the requirements that hold, 0 to 1; 1 if there are none.
  public var progress: Double {
    var (required, satisfied) = (0, 0)
    for check in checks where check.severity == .requirement {
      required += 1
      if check.state == .satisfied { satisfied += 1 }
    }
    return required == 0 ? 1 : Double(satisfied) / Double(required)
  }

  /// The requirements that do not hold, without pending ones.
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

extension ValidationReport {
  /// Whether an answer is pending.
  var isPending: Bool { checks.contains { $0.state == .pending } }
}

/// The state of a check or a value as text, mainly for screen readers.
public enum ValidationStatus: Hashable, Sendable {
  /// The state of a check.
  case check(ValidationCheck.State)
  /// The state of a value.
  case report(ValidationReport.State)
  /// The number of met requirements, and their total.
  case progress(Int, of: Int)
}

/// The checks of a report during an evaluation.
///
/// Only changes are written, so an unchanged report shares its memory with the previous one.
struct CheckResults {
  private(set) var checks: [ValidationCheck]
  /// The index of the first check of the current rule.
  var offset = 0
  /// The combined state of all requirements, if only that is needed.
  private(set) var summary: Summary?

  init(_ checks: [ValidationCheck]) {
    self.checks = checks
  }

  init(summarizing checks: [ValidationCheck]) {
    self.checks = checks
    summary = Summary()
  }

  /// Records the state of a check of the current rule.
  mutating func note(
    _ state: ValidationCheck.State, at index: Int = 0, advice: ValidationMessage? = nil,
    places: [Range<Int>] = []
  ) {
    let index = offset + index
    if summary != nil {
      if checks[index].severity == .requirement { summary?.add(state, places: places) }
      return
    }
    if checks[index].state != state { checks[index].state = state }
    if checks[index].advice != advice { checks[index].advice = advice }
    if checks[index].places != places { checks[index].places = places }
  }
}

/// The combined state of several requirements.
struct Summary {
  /// The worst state.
  private(set) var state = ValidationCheck.State.satisfied
  private(set) var places: [Range<Int>] = []

  mutating func add(_ other: ValidationCheck.State, places others: [Range<Int>]) {
    if other.rank > state.rank { state = other }
    if !others.isEmpty { places += others }
  }
}

extension ValidationCheck.State {
  /// The rank of the state, from best to worst.
  fileprivate var rank: Int {
    switch self {
    case .satisfied: 0
    case .pending: 1
    case .waiting: 2
    case .unavailable: 3
    case .notYet: 4
    case .broken: 5
    }
  }
}
