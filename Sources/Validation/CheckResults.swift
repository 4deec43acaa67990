/// The checks of a report during an evaluation, of which only changes are written, so that an
/// unchanged report shares its storage with the previous one.
struct CheckResults {
  private(set) var checks: [ValidationCheck]
  /// The index of the first check of the current rule.
  var offset = 0
  /// The combined state of all requirements, or nil if the states of the checks are recorded
  /// instead.
  private(set) var summary: Summary?

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
  /// Sets the state and the advice of a check if they differ, because assigning copies a shared
  /// array.
  mutating func update(_ index: Int, _ state: ValidationCheck.State, advice: ValidationMessage?) {
    if self[index].state != state { self[index].state = state }
    if self[index].advice != advice { self[index].advice = advice }
  }
}

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
  /// The rank of the state; the worse the state, the higher the rank.
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
