/// The checks of a report during an evaluation.
///
/// Only changes are written, so that an unchanged report shares its storage with the previous one.
struct CheckResults {
  private(set) var checks: [ValidationCheck]
  /// The index of the first check of the current rule.
  var offset = 0

  /// Records the state of a check; `index` is that among the checks of the current rule.
  mutating func record(
    _ state: ValidationCheck.State, at index: Int = 0, advice: ValidationMessage? = nil,
    positions: [Range<Int>] = []
  ) {
    let index = offset + index
    checks.update(index, state, advice: advice)
    if checks[index].positions != positions { checks[index].positions = positions }
  }
}

extension [ValidationCheck] {
  /// Sets the state and advice of a check if they differ, because assigning copies a shared array.
  mutating func update(_ index: Int, _ state: ValidationCheck.State, advice: ValidationMessage?) {
    if self[index].state != state { self[index].state = state }
    if self[index].advice != advice { self[index].advice = advice }
  }
}

extension [ValidationCheck.State] {
  var worst: ValidationCheck.State { self.max { $0.rank < $1.rank } ?? .satisfied }
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
