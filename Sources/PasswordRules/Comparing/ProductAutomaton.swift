/// The product of the automata of two rule sets, which finds a password that only one of them
/// accepts.
struct ProductAutomaton {
  /// The properties that all characters of a cell share.
  private struct Key: Hashable {
    /// The kind in each automaton.
    let kind: Int
    let otherKind: Int
    let isAllowedByOther: Bool
  }

  /// A state of the product, which determines the possible continuations.
  private struct State: Hashable {
    var first = 0
    /// The state of the other automaton, or nil if the other rule set rejects all continuations.
    var second: Int? = 0
    /// The cell of the last character, or nil if runs are unlimited.
    var cell: Int?
    var run = CharacterRun()
  }

  /// The transition that first reached a state.
  private struct Origin {
    let state: State?
    let cell: Int
    let step: CharacterRun.Step
  }

  private let rules: PasswordRuleSet
  private let other: PasswordRuleSet
  private let automaton: RequirementAutomaton
  private let otherAutomaton: RequirementAutomaton
  private let cells: [CharacterCell<Key>]
  private let limits: RunLimits
  private let otherLimits: RunLimits
  /// The lengths from which longer runs are equivalent.
  private let longest: RunLimits

  private static let stateLimit = 10_000
  private static let longestLength = 1024
  /// The number of visited states after which the search fails.
  private static let workLimit = 1 << 18
  /// Samples that represent all characters outside ASCII.
  private static let nonASCIISamples: [Unicode.Scalar] = ["é", "ß", "ø", "ü"]

  init(
    _ rules: PasswordRuleSet, and other: PasswordRuleSet, matching mode: RequirementMatchingMode
  ) throws(PasswordRulesError) {
    self.rules = rules
    self.other = other
    (limits, otherLimits) = (rules.runLimits, other.runLimits)
    func longest(_ limit: KeyPath<RunLimits, Int>) -> Int {
      [rules, other].map { $0.runLimits[keyPath: limit] }.filter { $0 < .max }.max() ?? .max
    }
    self.longest = RunLimits(repeating: longest(\.repeating), sequential: longest(\.sequential))
    let characters =
      Array(rules.listedAlphabet) + (rules.alphabet == .unicode ? Self.nonASCIISamples : [])
    func makeAutomaton(_ rules: PasswordRuleSet) throws(PasswordRulesError) -> RequirementAutomaton
    {
      try RequirementAutomaton(
        rules.requirements, matching: mode, characters: characters, limit: Self.stateLimit)
    }
    let (automaton, otherAutomaton) = (try makeAutomaton(rules), try makeAutomaton(other))
    cells = CharacterCell.cells(of: characters, limits: self.longest) { character in
      Key(
        kind: automaton.kind(of: character), otherKind: otherAutomaton.kind(of: character),
        isAllowedByOther: other.alphabet.contains(character))
    }
    (self.automaton, self.otherAutomaton) = (automaton, otherAutomaton)
  }

  /// Returns a shortest password that satisfies only the first rule set, or nil if none exists.
  func witness() throws(PasswordRulesError) -> String? {
    let (least, most) = (rules.minLength ?? 0, rules.maxLength ?? .max)
    let (otherLeast, otherMost) = (other.minLength ?? 0, other.maxLength ?? .max)
    // From this length on, the length limits no longer distinguish the two rule sets.
    let decisiveLength = max(least, otherLeast, otherMost == .max ? 0 : otherMost + 1)
    var layers: [[State: Origin]] = [[State(): Origin(state: nil, cell: 0, step: .other)]]
    var work = 0
    while let layer = layers.last, !layer.isEmpty, layers.count - 1 <= most {
      let length = layers.count - 1
      if length >= least {
        let violatesOtherLength = length < otherLeast || length > otherMost
        let found = layer.keys.first { state in
          automaton.accepting[state.first]
            && (violatesOtherLength || state.second.map { !otherAutomaton.accepting[$0] } ?? true)
        }
        if let found { return password(to: found, in: layers) }
      }
      let next = extended(layer)
      if length >= decisiveLength, next.keys == layer.keys { return nil }
      if length == Self.longestLength {
        throw .tooComplex("Passwords of more than \(length) characters are too long to compare")
      }
      work += next.count
      if work > Self.workLimit { throw .tooComplex("The limits on runs are too high") }
      layers.append(next)
    }
    return nil
  }

  /// Returns the states that one more character reaches.
  private func extended(_ layer: [State: Origin]) -> [State: Origin] {
    var next: [State: Origin] = [:]
    for state in layer.keys {
      for (cell, step) in cells.steps(after: state.cell) {
        guard let reached = self.state(after: state, cell, step) else { continue }
        if next[reached] == nil { next[reached] = Origin(state: state, cell: cell, step: step) }
      }
    }
    return next
  }

  private func state(after state: State, _ cell: Int, _ step: CharacterRun.Step) -> State? {
    var run = state.run.extended(by: step)
    guard limits.allows(run) else { return nil }
    let key = cells[cell].key
    let second = key.isAllowedByOther && otherLimits.allows(run) ? state.second : nil
    run.length = min(run.length, longest[step])
    return State(
      first: automaton.transitions[state.first][key.kind],
      second: second.map { otherAutomaton.transitions[$0][key.otherKind] },
      cell: longest.isEmpty ? nil : cell, run: run)
  }

  /// Returns the password that follows the transitions to a state of the last layer.
  private func password(to state: State, in layers: [[State: Origin]]) -> String {
    var origins: [Origin] = []
    var state: State? = state
    for layer in layers.dropFirst().reversed() {
      guard let origin = state.flatMap({ layer[$0] }) else { break }
      origins.append(origin)
      state = origin.state
    }
    var password = String.UnicodeScalarView()
    for origin in origins.reversed() {
      let characters = cells[origin.cell].characters
      let character =
        origin.step == .equal
        ? password.last : characters.first { $0 != password.last } ?? characters.first
      if let character { password.append(character) }
    }
    return String(password)
  }
}
