/// A breadth-first search for a shortest password that satisfies a rule set and, if there is
/// another rule set, not that one.
struct PasswordSearch {
  /// The properties that all characters of a cell share.
  private struct Key: Hashable {
    let kind: Int
    /// The kind in the other automaton, or nil if the other rule set forbids the characters.
    let otherKind: Int?
  }

  /// A state of both automata, which determines the possible continuations.
  struct State: Hashable {
    fileprivate var first = 0
    /// The state of the other automaton, or nil if nothing that follows satisfies the other rules.
    fileprivate var second: Int?
    /// The cell of the last character, or nil if runs are unlimited.
    fileprivate var cell: Int?
    fileprivate var run = CharacterRun()
  }

  /// The transition that first reached a state.
  private struct Origin {
    var state: State?
    var cell = 0
    var step = CharacterRun.Step.other
  }

  private let rules: PasswordRuleSet
  private let other: PasswordRuleSet?
  private let automaton: RequirementAutomaton
  private let otherAutomaton: RequirementAutomaton?
  private let cells: [CharacterCell<Key>]
  private let limits: RunLimits
  private let otherLimits: RunLimits
  /// The lengths from which longer runs are equivalent.
  private let longest: RunLimits
  /// The reached states, by the number of characters.
  private var layers: [[State: Origin]]

  /// The length at which a comparison fails.
  private static let longestLength = 1024
  /// Samples that represent all characters outside ASCII.
  private static let nonASCIISamples: [Unicode.Scalar] = ["é", "ß", "ø", "ü"]

  init(
    _ rules: PasswordRuleSet, butNot other: PasswordRuleSet? = nil,
    matching mode: RequirementMatchingMode
  ) throws(PasswordRulesError) {
    self.rules = rules
    self.other = other
    (limits, otherLimits) = (rules.runLimits, other?.runLimits ?? RunLimits())
    let allLimits = [limits, otherLimits]
    func longest(_ limit: KeyPath<RunLimits, Int>) -> Int {
      allLimits.map { $0[keyPath: limit] }.filter { $0 < .max }.max() ?? .max
    }
    self.longest = RunLimits(repeating: longest(\.repeating), sequential: longest(\.sequential))
    let characters =
      Array(rules.listedAlphabet) + (rules.alphabet == .unicode ? Self.nonASCIISamples : [])
    func makeAutomaton(_ rules: PasswordRuleSet) throws(PasswordRulesError) -> RequirementAutomaton
    {
      try RequirementAutomaton(
        rules.requirements, matching: mode, characters: characters,
        limit: other == nil ? 100_000 : 10_000)
    }
    let automaton = try makeAutomaton(rules)
    let otherAutomaton: RequirementAutomaton? =
      if let other { try makeAutomaton(other) } else { nil }
    cells = CharacterCell.cells(of: characters, limits: self.longest) { character in
      let isAllowed = other?.alphabet.contains(character) == true
      return Key(
        kind: automaton.kind(of: character),
        otherKind: isAllowed ? otherAutomaton?.kind(of: character) : nil)
    }
    (self.automaton, self.otherAutomaton) = (automaton, otherAutomaton)
    layers = [[State(second: other == nil ? nil : 0): Origin()]]
  }

  /// Begins with a password, or returns false if that contains a forbidden character or a run that
  /// is too long.
  mutating func begin(with password: String) -> Bool {
    var state = State()
    var last: Unicode.Scalar?
    for scalar in password.unicodeScalars {
      let step = last.map { CharacterRun.Step(from: $0, to: scalar) } ?? .other
      let listed = PrintableCharacters.all.contains(scalar) ? scalar : Self.nonASCIISamples[0]
      guard let cell = cells.firstIndex(where: { $0.characters.contains(listed) }),
        let next = self.state(after: state, cell, step)
      else { return false }
      (state, last) = (next, scalar)
    }
    layers = [[state: Origin()]]
    return true
  }

  /// Returns the smallest number of further characters, within a range, and the state that they
  /// reach, or nil if there is none.
  ///
  /// - Throws: ``PasswordRulesError/tooComplex(_:)`` if there are too many states.
  mutating func shortest(
    in lengths: ClosedRange<Int>
  ) throws(PasswordRulesError) -> (length: Int, state: State)? {
    let (otherLeast, otherMost) = (other?.minLength ?? 0, other?.maxLength ?? .max)
    // From this length on, the length limits no longer distinguish the two rule sets.
    let decisiveLength = max(
      lengths.lowerBound, otherLeast, otherMost == .max ? 0 : otherMost + 1)
    let workLimit = other == nil ? 1 << 17 : 1 << 18
    var (length, work) = (0, 0)
    while let layer = layers.last, !layer.isEmpty, length <= lengths.upperBound {
      if length >= lengths.lowerBound {
        let violatesOtherLength = length < otherLeast || length > otherMost
        let found = layer.keys.first { state in
          automaton.accepting[state.first]
            && (violatesOtherLength || state.second.map { !isAcceptedByOther($0) } ?? true)
        }
        if let found { return (length, found) }
      }
      let next = extended(layer)
      if next.keys == layer.keys {
        if length >= decisiveLength { return nil }
        // All greater lengths reach the same states.
        if other == nil {
          length = decisiveLength
          continue
        }
      }
      if other != nil, length == Self.longestLength {
        throw .tooComplex("Passwords of more than \(length) characters are too long to compare")
      }
      work += next.count
      if work > workLimit { throw .tooComplex("The limits on runs are too high") }
      layers.append(next)
      length += 1
    }
    return nil
  }

  /// Returns a shortest password that only the first rule set accepts, or nil if none exists.
  mutating func witness() throws(PasswordRulesError) -> String? {
    let (least, most) = (rules.minLength ?? 0, rules.maxLength ?? .max)
    guard least <= most, let found = try shortest(in: least...most) else { return nil }
    return password(to: found.state)
  }

  private func isAcceptedByOther(_ state: Int) -> Bool { otherAutomaton?.accepting[state] == true }

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
    var second: Int?
    if let state = state.second, let kind = key.otherKind, otherLimits.allows(run) {
      second = otherAutomaton?.transitions[state][kind]
    }
    run.length = min(run.length, longest[step])
    return State(
      first: automaton.transitions[state.first][key.kind], second: second,
      cell: longest.isEmpty ? nil : cell, run: run)
  }

  /// Returns the password that follows the transitions to a state of the last layer.
  private func password(to state: State) -> String {
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
