/// The checks of a report during an evaluation.
///
/// Only changes are written, so that an unchanged report shares its storage with the previous one.
struct CheckResults {
  private(set) var checks: [ValidationCheck]
  /// The index of the first check of the current rule.
  var offset = 0
  /// The combined state of all requirements; nil to record the states of the checks instead.
  private(set) var summary: Summary?
  /// Whether a recorded result differed from the one before it.
  private(set) var hasChanges = false

  /// Records the state of a check; `index` is that among the checks of the current rule.
  mutating func record(
    _ state: ValidationCheck.State, at index: Int = 0, advice: ValidationMessage? = nil,
    positions: [Range<Int>] = []
  ) {
    let index = offset + index
    if summary != nil {
      if checks[index].severity == .requirement { summary?.add(state, positions: positions) }
      return
    }
    if checks.update(index, state, advice: advice) { hasChanges = true }
    if checks[index].positions != positions {
      checks[index].positions = positions
      hasChanges = true
    }
  }
}

extension [ValidationCheck] {
  /// Sets the state and advice of a check, and returns true, if they differ, because assigning
  /// copies a shared array.
  @discardableResult
  mutating func update(
    _ index: Int, _ state: ValidationCheck.State, advice: ValidationMessage?
  ) -> Bool {
    // Most checks have no advice, and comparing messages takes longer.
    let hasSameAdvice =
      advice == nil ? self[index].advice == nil : self[index].advice == advice
    if hasSameAdvice, self[index].state == state { return false }
    self[index].state = state
    self[index].advice = advice
    return true
  }

  /// Appends checks, with ordinals that make their identities unique.
  mutating func append(distinct checks: some Sequence<ValidationCheck>) {
    var counts = Dictionary(map { ($0.id.name, 1) }, uniquingKeysWith: +)
    for var check in checks {
      let name = check.id.name
      check.id = ValidationCheck.ID(name: name, ordinal: counts[name, default: 0])
      counts[name, default: 0] += 1
      append(check)
    }
  }
}

/// The combined state of several checks.
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
