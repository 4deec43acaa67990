/// A bijection between the passwords of one length that satisfy a rule set and their ranks, which
/// begin at zero.
struct PasswordRanking: Sendable {
  let length: Int
  private let automaton: PasswordAutomaton
  /// The counts, by the number of remaining characters.
  private let counts: [PasswordCounts]

  /// Creates a ranking, in time and memory quadratic in the length.
  init(_ automaton: PasswordAutomaton, length: Int) {
    self.length = length
    self.automaton = automaton
    var counts = [PasswordCounts(automaton)]
    for _ in 0..<length {
      var next = counts[counts.count - 1]
      next.extend(in: automaton)
      counts.append(next)
    }
    self.counts = counts
  }

  var count: Natural { counts[length].passwords }

  /// Returns the password with a rank, which must be less than ``count``.
  ///
  /// Among the passwords with a common prefix, those that continue the run at its end come first.
  /// The others follow in the order of the next character's cell.
  func password(_ rank: Natural) -> [Unicode.Scalar] {
    var rank = rank
    rank += counts[length].rejected
    var state = State()
    var password: [Unicode.Scalar] = []
    password.reserveCapacity(length)
    for remaining in (0..<length).reversed() {
      state = next(after: state, remaining, &rank)
      password.append(state.last!)
    }
    return password
  }

  /// Returns the next state of the password with a rank, and makes the rank relative to that state.
  private func next(after state: State, _ remaining: Int, _ rank: inout Natural) -> State {
    let counts = counts[remaining]
    let followers = followers(of: state)
    for (next, isAllowed) in followers where isAllowed {
      let completions = counts.completions(next.requirements, next.cell, next.run)
      if rank < completions { return next }
      rank -= completions
    }
    // The ranks of the other passwords leave a gap at the start of each follower's cell, as if the
    // follower did not continue the run.
    for (next, _) in followers
    where rank >= self.counts[remaining + 1].earlierCompletions(state.requirements, next.cell) {
      rank += counts.completions(next.requirements, next.cell, CharacterRun())
    }
    let (cell, earlier) = self.counts[remaining + 1].cell(ofRank: rank, state.requirements)
    rank -= earlier
    let requirements = automaton.state(after: state.requirements, cell)
    var characters = automaton.cells[cell].characters
    if followers.contains(where: { $0.state.cell == cell }) {
      rank -= counts.completions(requirements, cell, CharacterRun())
      characters.removeAll { $0 == state.last }
    }
    let index = Int(rank.divide(by: UInt64(characters.count)))
    return State(requirements: requirements, cell: cell, last: characters[index])
  }

  /// The state after a prefix of a password.
  private struct State {
    /// The state of the requirement automaton.
    var requirements = 0
    var cell = -1
    var run = CharacterRun()
    var last: Unicode.Scalar?
  }

  /// Returns the states after the characters that continue the run, each with whether the limits
  /// allow the extended run.
  private func followers(of state: State) -> [(state: State, isAllowed: Bool)] {
    guard let last = state.last else { return [] }
    return automaton.cells[state.cell].neighbors.map { cell, step in
      let run = automaton.limits.run(state.run, extendedBy: step)
      // A follower in another cell is the only character of that cell.
      let next = State(
        requirements: automaton.state(after: state.requirements, cell), cell: cell,
        run: run ?? CharacterRun(),
        last: cell == state.cell ? last : automaton.cells[cell].characters[0])
      return (next, run != nil)
    }
  }
}
