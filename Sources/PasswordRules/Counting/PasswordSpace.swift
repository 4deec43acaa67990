/// The passwords over a rule set's alphabet, as an automaton for counting those that satisfy the
/// rules.
struct PasswordSpace: Sendable {
  /// The key is the kind of ``RequirementAutomaton``: the requirements that the characters meet.
  let cells: [CharacterCell<Int>]
  let progress: RequirementAutomaton
  let limits: RunLimits

  /// Creates the automaton; nil if the requirements overlap in too many ways to count.
  init?(_ rules: PasswordRuleSet, reading: RequirementMatchingMode) {
    let automaton = RequirementAutomaton(
      rules.requirements, reading: reading, characters: Array(rules.listedAlphabet), limit: 100_000)
    guard let automaton else { return nil }
    self.init(automaton, rules.runLimits)
  }

  private init(_ progress: RequirementAutomaton, _ limits: RunLimits) {
    self.progress = progress
    self.limits = limits
    cells = CharacterCell.cells(of: progress.characters, limits: limits) { progress.kind(of: $0) }
  }

  /// The space of the same requirements, without limits on runs.
  var withoutRunLimits: PasswordSpace { PasswordSpace(progress, RunLimits()) }

  /// Returns the space without the limits that passwords of a length cannot reach.
  func limited(toLength length: Int) -> PasswordSpace {
    func reachable(_ limit: Int) -> Int { limit < length ? limit : .max }
    return PasswordSpace(
      progress,
      RunLimits(
        repeating: reachable(limits.repeating), sequential: reachable(limits.sequential)))
  }

  /// Returns the state of progress after a character of a cell.
  func progress(after state: Int, _ cell: Int) -> Int {
    progress.transitions[state][cells[cell].key]
  }
}
