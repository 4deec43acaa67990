/// The checks of a report while a value is looked at.
///
/// Only what changed is written, so that a report that nothing changed shares its memory with the one
/// before.
struct Findings {
  private(set) var checks: [ValidationCheck]
  /// Where the checks of the rule begin that is looking.
  var offset = 0
  /// How all requirements stand together, where only that is asked for.
  private(set) var summary: Summary?

  init(_ checks: [ValidationCheck]) {
    self.checks = checks
  }

  init(summarizing checks: [ValidationCheck]) {
    self.checks = checks
    summary = Summary()
  }

  /// Says how a check of the rule stands.
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

/// How several requirements stand together.
struct Summary {
  /// The state of the one that stands worst.
  private(set) var state = ValidationCheck.State.satisfied
  private(set) var places: [Range<Int>] = []

  mutating func add(_ other: ValidationCheck.State, places others: [Range<Int>]) {
    if other.rank > state.rank { state = other }
    if !others.isEmpty { places += others }
  }
}

extension ValidationCheck.State {
  /// From what holds to what is farthest from it.
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
