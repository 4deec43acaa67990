/// The number of completions of a password from each state of a ``PasswordAutomaton``, for a fixed
/// number of remaining characters.
struct PasswordCounts: Sendable {
  /// The number of completions, by requirement state.
  private(set) var all: [Natural]
  /// The number of completions, by requirement state, last cell, and run.
  private var completions: [Natural]
  /// The number of completions that begin in an earlier cell, by requirement state and cell.
  private var earlier: [Natural] = []
  // The counts are copied often, so they do not retain the whole automaton.
  private let cellCount: Int
  private let runCount: Int
  private let limits: RunLimits
  private let rejectsOuterBlanks: Bool

  /// Creates the counts for zero remaining characters.
  init(_ automaton: PasswordAutomaton) {
    (cellCount, limits) = (automaton.cells.count, automaton.limits)
    runCount = limits.runCount
    rejectsOuterBlanks = automaton.rejectsOuterBlanks
    all = automaton.requirements.accepting.map { $0 ? 1 : 0 }
    // The cell of a rejected blank is the first one.
    let blank = [Natural](repeating: 0, count: rejectsOuterBlanks ? runCount : 0)
    let count = cellCount * runCount - blank.count
    completions = all.flatMap { blank + Array(repeating: $0, count: count) }
  }

  /// The number of rejected passwords that begin with a blank, whose ranks are the lowest.
  var rejected: Natural {
    guard rejectsOuterBlanks, !earlier.isEmpty else { return 0 }
    return cellCount > 1 ? earlier[1] : all[0]
  }

  /// The number of passwords with as many characters as remain.
  var passwords: Natural {
    var count = all[0]
    count -= rejected
    return count
  }

  static func size(of automaton: PasswordAutomaton) -> Int {
    automaton.requirements.accepting.count * automaton.cells.count * automaton.limits.runCount
  }

  /// Increments the number of remaining characters; `automaton` must be that of the initializer.
  mutating func extend(in automaton: PasswordAutomaton) {
    let before = self
    let runs = limits.runs
    earlier.removeAll(keepingCapacity: true)
    for state in all.indices {
      let next = automaton.requirements.transitions[state]
      var sum: Natural = 0
      for (cell, content) in automaton.cells.enumerated() {
        earlier.append(sum)
        sum.add(
          before.completions(next[content.key], cell, CharacterRun()),
          times: UInt64(content.characters.count))
      }
      all[state] = sum
      for cell in automaton.cells.indices {
        for (index, run) in runs.enumerated() {
          var completions = sum
          for (follower, step) in automaton.cells[cell].neighbors {
            let state = next[automaton.cells[follower].key]
            completions -= before.completions(state, follower, CharacterRun())
            if let run = limits.run(run, extendedBy: step) {
              completions += before.completions(state, follower, run)
            }
          }
          self.completions[(state * cellCount + cell) * runCount + index] = completions
        }
      }
    }
  }

  func cell(ofRank rank: Natural, _ state: Int) -> Int {
    var cells = 0..<cellCount
    while cells.count > 1 {
      let middle = cells.lowerBound + cells.count / 2
      let isBelow = rank < earlierCompletions(state, middle)
      cells = isBelow ? cells.lowerBound..<middle : middle..<cells.upperBound
    }
    return cells.lowerBound
  }

  func earlierCompletions(_ state: Int, _ cell: Int) -> Natural {
    earlier[state * cellCount + cell]
  }

  /// Returns the number of completions after a character of a cell that ends a run.
  func completions(_ state: Int, _ cell: Int, _ run: CharacterRun) -> Natural {
    completions[(state * cellCount + cell) * runCount + limits.index(of: run)]
  }
}

extension RunLimits {
  private var equalCount: Int { repeating < .max ? repeating - 1 : 0 }
  private var sequentialCount: Int { sequential < .max ? sequential - 1 : 0 }

  fileprivate var runCount: Int { 1 + equalCount + 2 * sequentialCount }

  /// The runs within the limits, in the order of their indices; index 0 stands for unlimited runs.
  fileprivate var runs: [CharacterRun] {
    [CharacterRun()] + (0..<equalCount).map { CharacterRun(step: .equal, length: $0 + 2) }
      + [CharacterRun.Step.ascending, .descending].flatMap { step in
        (0..<sequentialCount).map { CharacterRun(step: step, length: $0 + 2) }
      }
  }

  fileprivate func index(of run: CharacterRun) -> Int {
    switch run.step {
    case .other: 0
    case .equal: run.length - 1
    case .ascending: equalCount + run.length - 1
    case .descending: equalCount + sequentialCount + run.length - 1
    }
  }
}
