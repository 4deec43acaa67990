/// The numbers of completions of each state of a ``PasswordSpace``, for a fixed number of remaining
/// characters.
struct PasswordCounts: Sendable {
  /// By state of progress: the number of completions.
  private(set) var all: [Natural]
  /// By state of progress, cell, and run: the number of completions.
  private var ways: [Natural]
  /// By state of progress, and cell: the number of completions that start in an earlier cell.
  private var earlier: [Natural] = []
  private let cellCount: Int
  private let runCount: Int
  private let limits: RunLimits

  /// Creates the counts for zero remaining characters.
  init(_ space: PasswordSpace) {
    (cellCount, runCount, limits) = (space.cells.count, space.limits.runCount, space.limits)
    all = space.progress.accepting.map { $0 ? 1 : 0 }
    ways = all.flatMap { [count = cellCount * runCount] in Array(repeating: $0, count: count) }
  }

  /// Returns the number of counts for each number of remaining characters.
  static func size(of space: PasswordSpace) -> Int {
    space.progress.accepting.count * space.cells.count * space.limits.runCount
  }

  /// Increments the number of remaining characters.
  mutating func extend(in space: PasswordSpace) {
    let before = self
    let runs = limits.runs
    earlier.removeAll(keepingCapacity: true)
    for state in all.indices {
      let next = space.progress.transitions[state]
      var sum: Natural = 0
      for (cell, content) in space.cells.enumerated() {
        earlier.append(sum)
        sum.add(
          before.ways(next[content.key], cell, Run()), times: UInt64(content.characters.count))
      }
      all[state] = sum
      for cell in space.cells.indices {
        for (number, run) in runs.enumerated() {
          var ways = sum
          for (follower, following) in space.followers(of: cell, run) {
            let state = next[space.cells[follower].key]
            ways -= before.ways(state, follower, Run())
            if let following { ways += before.ways(state, follower, following) }
          }
          self.ways[(state * cellCount + cell) * runCount + number] = ways
        }
      }
    }
  }

  /// Returns the cell to which a rank belongs, and the number of ranks in earlier cells.
  func cell(ofRank rank: Natural, _ state: Int) -> (cell: Int, earlier: Natural) {
    let first = state * cellCount
    var cells = 0..<cellCount
    while cells.count > 1 {
      let middle = cells.lowerBound + cells.count / 2
      cells =
        rank < earlier[first + middle] ? cells.lowerBound..<middle : middle..<cells.upperBound
    }
    return (cells.lowerBound, earlier[first + cells.lowerBound])
  }

  /// Returns the number of completions that start in an earlier cell.
  func earlierWays(_ state: Int, _ cell: Int) -> Natural {
    earlier[state * cellCount + cell]
  }

  /// Returns the number of completions after a last character.
  func ways(_ state: Int, _ cell: Int, _ run: Run) -> Natural {
    ways[(state * cellCount + cell) * runCount + limits.number(of: run)]
  }
}

extension RunLimits {
  private var equalCount: Int { repeating < .max ? repeating - 1 : 0 }
  private var neighbourCount: Int { sequential < .max ? sequential - 1 : 0 }

  fileprivate var runCount: Int { 1 + equalCount + 2 * neighbourCount }

  /// The runs within the limits, in the order of their numbers; all unlimited ones are the first.
  fileprivate var runs: [Run] {
    [(Run.Step.equal, equalCount), (.up, neighbourCount), (.down, neighbourCount)]
      .reduce(into: [Run()]) { runs, kind in
        for length in 0..<kind.1 { runs.append(Run(step: kind.0, length: length + 2)) }
      }
  }

  fileprivate func number(of run: Run) -> Int {
    switch run.step {
    case .other: 0
    case .equal: run.length - 1
    case .up: equalCount + run.length - 1
    case .down: equalCount + neighbourCount + run.length - 1
    }
  }
}

extension PasswordSpace {
  /// Returns the cells of the characters that continue a run, in order.
  ///
  /// Each has the resulting run, or nil if that is too long.
  func followers(of cell: Int, _ run: Run) -> [(cell: Int, run: Run?)] {
    cells[cell].neighbours.map { ($0.cell, limits.run(run, extendedBy: $0.step)) }
  }
}
