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
    for follower in followers {
      guard let run = follower.run else { continue }
      let completions = counts.completions(follower.requirements, follower.cell, run)
      if rank < completions {
        return State(
          requirements: follower.requirements, cell: follower.cell, run: run,
          last: follower.character)
      }
      rank -= completions
    }
    // The ranks of the other passwords leave gaps for the followers, as if those did not continue
    // the run.
    for follower in followers where rank >= start(of: follower, after: state, remaining) {
      rank += counts.completions(follower.requirements, follower.cell, CharacterRun())
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

  /// A character that continues a run.
  private struct Follower {
    let character: Unicode.Scalar
    let cell: Int
    /// The index of the character in its cell.
    let index: Int
    /// The state of the requirement automaton after the character.
    let requirements: Int
    /// The extended run, or nil if it would be too long.
    let run: CharacterRun?
  }

  private func followers(of state: State) -> [Follower] {
    guard let last = state.last else { return [] }
    return automaton.followers(of: state.cell, state.run).map { cell, run in
      // A follower in another cell is the only character of that cell.
      let characters = automaton.cells[cell].characters
      let index = cell == state.cell ? characters.firstIndex(of: last) ?? 0 : 0
      return Follower(
        character: characters[index], cell: cell, index: index,
        requirements: automaton.state(after: state.requirements, cell), run: run)
    }
  }

  /// Returns the rank at which the passwords of a follower would begin if it did not continue a
  /// run.
  private func start(of follower: Follower, after state: State, _ remaining: Int) -> Natural {
    var start = counts[remaining + 1].earlierCompletions(state.requirements, follower.cell)
    start.add(
      counts[remaining].completions(follower.requirements, follower.cell, CharacterRun()),
      times: UInt64(follower.index))
    return start
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
