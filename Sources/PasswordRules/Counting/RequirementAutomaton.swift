/// An automaton whose state represents the requirements that the characters read so far meet.
struct RequirementAutomaton: Sendable {
  /// The assignments of characters that meet as many requirements as possible, each as the number
  /// of characters for each distinct requirement.
  private typealias State = [[UInt16]]

  private let requirements: [(alphabet: Alphabet, count: UInt16)]
  private let mode: RequirementMatchingMode
  /// The next state, by state and kind of the character.
  private(set) var transitions: [[Int]] = []
  /// Whether every requirement is met, by state.
  private(set) var accepting: [Bool] = []

  let characters: [Unicode.Scalar]
  /// The kind of each character, from zero; characters of the same kind meet the same requirements.
  private var kinds: [Unicode.Scalar: Int] = [:]

  private static let requirementLimit = 1024
  /// The maximum number of values in all states.
  private static let memoryLimit = 300_000

  /// - Throws: ``PasswordRulesError/tooComplex(_:)`` for too many requirements or for more than
  ///   `limit` states. With many requirements, the limit is lower.
  init(
    _ requirements: [Alphabet], matching mode: RequirementMatchingMode,
    characters: [Unicode.Scalar], limit: Int
  ) throws(PasswordRulesError) {
    let error = PasswordRulesError.tooComplex("The required classes overlap in too many ways")
    if requirements.count > Self.requirementLimit { throw error }
    var counts: [(alphabet: Alphabet, count: UInt16)] = []
    for alphabet in requirements {
      if let index = counts.firstIndex(where: { $0.alphabet == alphabet }) {
        if mode == .distinct { counts[index].count += 1 }
      } else {
        counts.append((alphabet, 1))
      }
    }
    self.requirements = counts
    self.mode = mode
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
    var stateIndices = [states[0]: 0]
    var size = 0
    while transitions.count < states.count {
      let state = states[transitions.count]
      accepting.append(state.contains(goal))
      var successors: [Int] = []
      for indices in met {
        let next = next(state, meeting: indices)
        if stateIndices[next] == nil {
          stateIndices[next] = states.count
          states.append(next)
          size += next.count * goal.count
          if states.count > limit || size > Self.memoryLimit { throw error }
        }
        successors.append(stateIndices[next] ?? 0)
      }
      transitions.append(successors)
    }
  }

  func kind(of character: Unicode.Scalar) -> Int { kinds[character] ?? 0 }

  private func next(_ state: State, meeting indices: [Int]) -> State {
    if indices.isEmpty { return state }
    if mode == .any {
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
    // All maximum assignments have the same size, being the bases of a matroid. If some of them can
    // be extended, the others are no longer maximum.
    return extended.isEmpty ? state : extended.sorted { $0.lexicographicallyPrecedes($1) }
  }
}
