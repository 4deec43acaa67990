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

  /// The state of the value, which is ``State/pristine`` until the field is touched.
  public var state: State { isTouched ? outcome : .pristine }

  /// Whether every requirement holds, even if the field is untouched.
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

  /// The fraction of the requirements that hold, from 0 to 1, or 1 if there are none.
  public var progress: Double {
    let (satisfied, all) = requirementCounts
    return all == 0 ? 1 : Double(satisfied) / Double(all)
  }

  /// The number of requirements that hold, and the number of all requirements.
  var requirementCounts: (satisfied: Int, all: Int) {
    let requirements = checks.filter { $0.severity == .requirement }
    return (requirements.count { $0.state == .satisfied }, requirements.count)
  }

  /// The requirements that do not hold, except those that have not been checked.
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

/// A state or progress that a ``ValidationLanguage`` describes, mainly for screen readers.
public enum ValidationStatus: Hashable, Sendable {
  /// The state of a check.
  case check(ValidationCheck.State)
  /// The state of a value.
  case report(ValidationReport.State)
  /// The number of requirements that hold, and the number of all requirements.
  case progress(Int, of: Int)
}

/// The checks of a report during an evaluation, which writes only changes, so that an unchanged
/// report shares its storage with the previous one.
struct CheckResults {
  private(set) var checks: [ValidationCheck]
  /// The index of the first check of the current rule.
  var offset = 0
  /// The combined state of all requirements, or nil if the states of the checks are recorded
  /// instead.
  private(set) var summary: Summary?

  init(_ checks: [ValidationCheck]) { self.checks = checks }

  init(summarizing checks: [ValidationCheck]) {
    self.checks = checks
    summary = Summary()
  }

  /// Records the state of a check of the current rule.
  mutating func record(
    _ state: ValidationCheck.State, at index: Int = 0, advice: ValidationMessage? = nil,
    positions: [Range<Int>] = []
  ) {
    let index = offset + index
    if summary != nil {
      if checks[index].severity == .requirement { summary?.add(state, positions: positions) }
      return
    }
    checks.update(index, state, advice: advice)
    if checks[index].positions != positions { checks[index].positions = positions }
  }
}

extension [ValidationCheck] {
  /// Sets the state and the advice of a check, unless they are equal: an assignment would copy an
  /// array that shares its storage.
  mutating func update(_ index: Int, _ state: ValidationCheck.State, advice: ValidationMessage?) {
    if self[index].state != state { self[index].state = state }
    if self[index].advice != advice { self[index].advice = advice }
  }
}

/// The combined state of several requirements.
struct Summary {
  /// The worst state.
  private(set) var state = ValidationCheck.State.satisfied
  private(set) var positions: [Range<Int>] = []

  mutating func add(_ other: ValidationCheck.State, positions others: [Range<Int>]) {
    if other.rank > state.rank { state = other }
    positions += others
  }
}

extension ValidationCheck.State {
  /// The severity of the state; the higher the rank, the worse the state.
  fileprivate var rank: Int {
    switch self {
    case .satisfied: 0
    case .pending: 1
    case .waiting: 2
    case .unavailable: 3
    case .incomplete: 4
    case .violated: 5
    }
  }
}
