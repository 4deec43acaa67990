/// The states of a ``PasswordAutomaton`` that passwords of one length can reach.
struct ReachableStates: Sendable {
  private struct State: Hashable {
    /// The state of the requirement automaton.
    var requirements = 0
    /// The cell of the last character, or nil if there is none or runs are unlimited.
    var cell: Int?
    var run = CharacterRun()
  }

  private let automaton: PasswordAutomaton
  private var states: Set<State> = [State()]

  /// The number of visited states after which a search fails.
  private static let workLimit = 1 << 17

  init(_ automaton: PasswordAutomaton) { self.automaton = automaton }

  private func state(after state: State, _ cell: Int, _ step: CharacterRun.Step) -> State? {
    guard let run = automaton.limits.run(state.run, extendedBy: step) else { return nil }
    return State(
      requirements: automaton.state(after: state.requirements, cell),
      cell: automaton.limits.isEmpty ? nil : cell, run: run)
  }

  /// Replaces the states with the one that a password reaches, or returns false if the password
  /// contains a forbidden character or a run that is too long.
  mutating func follow(_ password: some Sequence<Unicode.Scalar>) -> Bool {
    var state = State()
    var last: Unicode.Scalar?
    for scalar in password {
      let step = last.map { CharacterRun.Step(from: $0, to: scalar) } ?? .other
      guard let cell = automaton.cells.firstIndex(where: { $0.characters.contains(scalar) }),
        let next = self.state(after: state, cell, step)
      else { return false }
      (state, last) = (next, scalar)
    }
    states = [state]
    return true
  }

  /// Returns the smallest number of further characters, within a range, that can meet every
  /// requirement, or nil if none can.
  ///
  /// The search ends when the set of states repeats, even if the range continues.
  ///
  /// - Throws: ``PasswordRulesError/tooComplex(_:)`` if there are too many states.
  mutating func shortest(in lengths: ClosedRange<Int>) throws(PasswordRulesError) -> Int? {
    var work = 0
    for length in 0...lengths.upperBound {
      if length >= lengths.lowerBound, isAccepting { return length }
      let next = extended()
      if next.isEmpty { return nil }
      // All greater lengths reach the same states.
      if next == states { return isAccepting ? lengths.lowerBound : nil }
      states = next
      work += states.count
      if work > Self.workLimit { throw .tooComplex("The limits on runs are too high") }
    }
    return nil
  }

  /// Whether one of the states meets every requirement.
  private var isAccepting: Bool {
    states.contains { automaton.requirements.accepting[$0.requirements] }
  }

  /// Returns the states after one more character.
  private func extended() -> Set<State> {
    var reached = Set<State>()
    for state in states {
      for (cell, step) in automaton.cells.steps(after: state.cell) {
        if let next = self.state(after: state, cell, step) { reached.insert(next) }
      }
    }
    return reached
  }
}
