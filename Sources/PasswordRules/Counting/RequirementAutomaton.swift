/// An automaton that reads passwords and whose states are the met requirements of a rule set.
struct RequirementAutomaton: Sendable {
  /// How often each requirement is met, for each assignment of characters that meets the most
  /// requirements.
  private typealias State = [[UInt16]]

  /// The distinct requirements, and the multiplicity of each.
  private let requirements: [(alphabet: Alphabet, count: UInt16)]
  private let reading: RequirementMatchingMode
  /// The next state, by state and kind of character.
  private(set) var transitions: [[Int]] = []
  private(set) var accepting: [Bool] = []

  /// The characters of passwords.
  let characters: [Unicode.Scalar]
  /// The kind of each character, numbered from zero: the set of the requirements that it meets.
  private var kinds: [Unicode.Scalar: Int] = [:]

  private static let requirementLimit = 1024
  /// The limit on memory, in numbers that the states contain.
  private static let memoryLimit = 300_000

  /// Creates the automaton; nil if there are too many states or requirements.
  ///
  /// - Parameters:
  ///   - requirements: The requirements, with repetitions.
  ///   - reading: Whether one character meets several.
  ///   - characters: The characters of passwords.
  ///   - limit: The maximum number of states, for a few requirements.
  init?(
    _ requirements: [Alphabet], reading: RequirementMatchingMode, characters: [Unicode.Scalar],
    limit: Int
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
    self.characters = characters
    var met: [[Int]] = []
    for character in characters {
      let indices = counts.indices.filter { counts[$0].alphabet.contains(character) }
      let kind = met.firstIndex(of: indices) ?? met.count
      if kind == met.count { met.append(indices) }
      kinds[character] = kind
    }
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

  /// Returns the kind of one of the characters.
  func kind(of character: Unicode.Scalar) -> Int { kinds[character] ?? 0 }

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
    // The largest assignments all have the same size (they are the bases of a matroid). So either
    // some can be extended, and only those remain, or none can.
    return extended.isEmpty ? state : extended.sorted { $0.lexicographicallyPrecedes($1) }
  }
}
