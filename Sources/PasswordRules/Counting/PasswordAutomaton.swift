/// An automaton that accepts the passwords that satisfy a rule set, without its length limits.
struct PasswordAutomaton: Sendable {
  /// The cells of the alphabet.
  ///
  /// The key is the kind of the characters in ``requirements``.
  let cells: [CharacterCell<Int>]
  let requirements: RequirementAutomaton
  let limits: RunLimits

  /// Creates the automaton, or returns nil if the requirements overlap in too many ways to count.
  init?(_ rules: PasswordRuleSet, matching mode: RequirementMatchingMode) {
    let automaton = RequirementAutomaton(
      rules.requirements, matching: mode, characters: Array(rules.listedAlphabet), limit: 100_000)
    guard let automaton else { return nil }
    self.init(automaton, rules.runLimits)
  }

  private init(_ requirements: RequirementAutomaton, _ limits: RunLimits) {
    self.requirements = requirements
    self.limits = limits
    cells = CharacterCell.cells(of: requirements.characters, limits: limits) {
      requirements.kind(of: $0)
    }
  }

  /// The automaton of the same requirements without limits on runs.
  var withoutRunLimits: PasswordAutomaton { PasswordAutomaton(requirements, RunLimits()) }

  /// Returns the automaton without the limits on runs that passwords of a length cannot exceed.
  func limited(toLength length: Int) -> PasswordAutomaton {
    func reachable(_ limit: Int) -> Int { limit < length ? limit : .max }
    return PasswordAutomaton(
      requirements,
      RunLimits(
        repeating: reachable(limits.repeating), sequential: reachable(limits.sequential)))
  }

  /// Returns the cells of the characters that continue a run, in order.
  ///
  /// Each has the extended run, or nil if that is too long.
  func followers(of cell: Int, _ run: Run) -> [(cell: Int, run: Run?)] {
    cells[cell].neighbors.map { ($0.cell, limits.run(run, extendedBy: $0.step)) }
  }

  /// Returns the state of ``requirements`` after a character of a cell.
  func state(after state: Int, _ cell: Int) -> Int {
    requirements.transitions[state][cells[cell].key]
  }
}
