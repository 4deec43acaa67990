/// How far the requirements of a rule set are met, as the states of an automaton that reads passwords.
struct Progress: Sendable {
  /// Which requirements are met, and how often: by each of the ways to deal out the characters that
  /// meet the most of them.
  private typealias State = [[UInt16]]

  /// The different requirements, and how often each is there.
  private let requirements: [(alphabet: Alphabet, count: UInt16)]
  private let reading: RequirementReading
  /// For each state, and each kind of characters, the next state.
  private(set) var transitions: [[Int]] = []
  private(set) var accepting: [Bool] = []

  private static let requirementLimit = 1024
  /// In numbers that the states have.
  private static let memoryLimit = 300_000

  /// Nil when there are more states than the limit, or too many requirements.
  ///
  /// - Parameters:
  ///   - requirements: What is required, each as often as it was said.
  ///   - reading: Whether a character serves several.
  ///   - kinds: For each kind of characters, one of them.
  ///   - limit: The largest number of states, for a few requirements.
  init?(
    _ requirements: [Alphabet], reading: RequirementReading, kinds: [Unicode.Scalar], limit: Int
  ) {
    if requirements.count > Self.requirementLimit { return nil }
    var counts: [(alphabet: Alphabet, count: UInt16)] = []
    for alphabet in requirements {
      if let index = counts.firstIndex(where: { $0.alphabet == alphabet }) {
        if reading == .distinct { counts[index].count += 1 }
      } else {
        counts.append((alphabet, 1))
      }
    }
    self.requirements = counts
    self.reading = reading
    let met = kinds.map { kind in counts.indices.filter { counts[$0].alphabet.contains(kind) } }
    let goal = counts.map(\.count)
    var states: [State] = [[goal.map { _ in 0 }]]
    var numbers = [states[0]: 0]
    var size = 0
    while transitions.count < states.count {
      let state = states[transitions.count]
      accepting.append(state.contains(goal))
      var numbersOfNext: [Int] = []
      for indices in met {
        let next = next(state, meeting: indices)
        if numbers[next] == nil {
          numbers[next] = states.count
          states.append(next)
          size += next.count * goal.count
          if states.count > limit || size > Self.memoryLimit { return nil }
        }
        numbersOfNext.append(numbers[next] ?? 0)
      }
      transitions.append(numbersOfNext)
    }
  }

  private func next(_ state: State, meeting indices: [Int]) -> State {
    if indices.isEmpty { return state }
    if reading == .any {
      var vector = state[0]
      for index in indices { vector[index] = 1 }
      return [vector]
    }
    var extended = Set<[UInt16]>()
    for vector in state {
      for index in indices where vector[index] < requirements[index].count {
        var vector = vector
        vector[index] += 1
        extended.insert(vector)
      }
    }
    // The ways that meet the most all meet equally many (they are the bases of a matroid), so either
    // some can be extended, and the others are then not among them, or none can.
    return extended.isEmpty ? state : extended.sorted { $0.lexicographicallyPrecedes($1) }
  }
}
