/// A breadth-first search for a shortest password that satisfies a rule set, but not another one.
struct PasswordSearch {
  /// The kinds of the characters of a cell in both automata.
  private struct Key: Hashable {
    let kind: Int
    /// The kind in the other automaton, or nil if the other rule set forbids the characters.
    let otherKind: Int?
  }

  /// The states of both automata, and the run at the end.
  private struct State: Hashable {
    var first = 0
    /// The state of the other automaton, or nil if no continuation satisfies the other rules.
    var second: Int?
    /// The cell of the last character, or nil if runs are unlimited.
    var cell: Int?
    var run = CharacterRun()
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
  /// The states that can be reached so far, each with a password if there is another rule set.
  private var reached: [State: [Unicode.Scalar]]

  /// The length, in characters, at which a comparison is abandoned.
  private static let longestLength = 1024
  /// Characters that represent all characters outside ASCII.
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
      Array(rules.alphabet.listed) + (rules.alphabet.isUnicode ? Self.nonASCIISamples : [])
    func makeAutomaton(_ rules: PasswordRuleSet) throws(PasswordRulesError) -> RequirementAutomaton
    {
      try RequirementAutomaton(
        rules.requirements, matching: mode, characters: characters,
        limit: other == nil ? 100_000 : 10_000)
    }
    let automaton = try makeAutomaton(rules)
    let otherAutomaton = try other.map(makeAutomaton)
    cells = CharacterCell.cells(of: characters, limits: self.longest) { character in
      let isAllowed = other?.alphabet.contains(character) == true
      return Key(
        kind: automaton.kind(of: character),
        otherKind: isAllowed ? otherAutomaton?.kind(of: character) : nil)
    }
    (self.automaton, self.otherAutomaton) = (automaton, otherAutomaton)
    reached = [State(second: other == nil ? nil : 0): []]
  }

  /// Begins with a password; returns false for a forbidden character or a run that is too long.
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
    reached = [state: []]
    return true
  }

  /// Returns the smallest number of further characters in a range, and the password, if one exists.
  mutating func shortest(
    in lengths: ClosedRange<Int>
  ) throws(PasswordRulesError) -> (length: Int, password: [Unicode.Scalar])? {
    let (otherLeast, otherMost) = (other?.minLength ?? 0, other?.maxLength ?? .max)
    // From this length on, the length limits no longer distinguish the two rule sets.
    let decisiveLength = max(
      lengths.lowerBound, otherLeast, otherMost == .max ? 0 : otherMost + 1)
    let otherAccepting = otherAutomaton?.accepting ?? []
    let workLimit = other == nil ? 1 << 17 : 1 << 18
    var (length, work) = (0, 0)
    while !reached.isEmpty, length <= lengths.upperBound {
      if length >= lengths.lowerBound {
        let violatesOtherLength = length < otherLeast || length > otherMost
        let found = reached.first { state, _ in
          automaton.accepting[state.first]
            && (violatesOtherLength || state.second.map { otherAccepting[$0] } != true)
        }
        if let found { return (length, found.value) }
      }
      let next = extended()
      if next.keys == reached.keys {
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
      reached = next
      length += 1
    }
    return nil
  }

  /// Returns a shortest password that only the first rule set accepts, or nil if none exists.
  mutating func witness() throws(PasswordRulesError) -> String? {
    let (least, most) = (rules.minLength ?? 0, rules.maxLength ?? .max)
    guard least <= most, let found = try shortest(in: least...most) else { return nil }
    return String(String.UnicodeScalarView(found.password))
  }

  private func extended() -> [State: [Unicode.Scalar]] {
    var extended: [State: [Unicode.Scalar]] = [:]
    for (state, password) in reached {
      for (cell, step) in steps(after: state.cell) {
        guard let next = self.state(after: state, cell, step), extended[next] == nil else {
          continue
        }
        extended[next] = password
        if other == nil { continue }
        let characters = cells[cell].characters
        let change = characters.first { $0 != password.last } ?? characters[0]
        extended[next]?.append(step == .equal ? password.last ?? change : change)
      }
    }
    return extended
  }

  /// Returns the steps to the next character: one to each cell, or two if it can continue the run.
  ///
  /// `last` is the cell of the last character; nil at the start.
  private func steps(after last: Int?) -> [(cell: Int, step: CharacterRun.Step)] {
    let neighbors = last.map { cells[$0].neighbors } ?? []
    return neighbors
      + cells.indices.filter { index in
        cells[index].characters.count > 1 || !neighbors.contains { $0.cell == index }
      }.map { ($0, .other) }
  }

  /// Returns the state after a character of a cell, or nil if a run would be too long.
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
}
