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
  /// The others follow in the order of the next character's cell, the next character, and the rest.
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
    for (next, _, isAllowed) in followers where isAllowed {
      let completions = counts.completions(next.requirements, next.cell, next.run)
      if rank < completions { return next }
      rank -= completions
    }
    // The ranks of the other passwords leave gaps for the followers, as if those did not continue
    // the run.
    for (next, index, _) in followers {
      let completions = counts.completions(next.requirements, next.cell, CharacterRun())
      var start = self.counts[remaining + 1].earlierCompletions(state.requirements, next.cell)
      start.add(completions, times: UInt64(index))
      if rank >= start { rank += completions }
    }
    let (cell, earlier) = self.counts[remaining + 1].cell(ofRank: rank, state.requirements)
    rank -= earlier
    let requirements = automaton.state(after: state.requirements, cell)
    let characters = automaton.cells[cell].characters
    let index = rank.divide(
      by: counts.completions(requirements, cell, CharacterRun()), below: characters.count)
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

  /// Returns the states after the characters that continue the run, each with the index of the
  /// character in its cell and whether the limits allow the extended run.
  private func followers(of state: State) -> [(state: State, index: Int, isAllowed: Bool)] {
    guard let last = state.last else { return [] }
    return automaton.cells[state.cell].neighbors.map { cell, step in
      // A follower in another cell is the only character of that cell.
      let characters = automaton.cells[cell].characters
      let index = cell == state.cell ? characters.firstIndex(of: last) ?? 0 : 0
      let run = automaton.limits.run(state.run, extendedBy: step)
      let next = State(
        requirements: automaton.state(after: state.requirements, cell), cell: cell,
        run: run ?? CharacterRun(), last: characters[index])
      return (next, index, run != nil)
    }
  }
}

extension Natural {
  /// Replaces this number with the remainder of a division, and returns the quotient, which must
  /// be less than a bound.
  fileprivate mutating func divide(by divisor: Natural, below bound: Int) -> Int {
    var quotients = 0..<bound
    while quotients.count > 1 {
      let middle = quotients.lowerBound + quotients.count / 2
      if isLess(than: divisor, times: UInt64(middle)) {
        quotients = quotients.lowerBound..<middle
      } else {
        quotients = middle..<quotients.upperBound
      }
    }
    var product: Natural = 0
    product.add(divisor, times: UInt64(quotients.lowerBound))
    self -= product
    return quotients.lowerBound
  }
}
