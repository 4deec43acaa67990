/// How many ways there are to go on from each state of a ``PasswordSpace``, for one number of
/// characters to come.
struct PasswordCounts: Sendable {
  /// What the last characters are, beside the cell of the last one.
  enum Run: Hashable {
    /// The last character neither repeats the one before nor is its neighbour.
    case fresh
    /// As many equal characters, two or more.
    case repeating(Int)
    /// As many characters upwards in a sequence, two or more.
    case rising(Int)
    case falling(Int)
  }

  private let space: PasswordSpace
  /// By state of progress: the ways to go on with any character.
  private(set) var all: [Natural]
  /// By state of progress, cell, and run.
  private var ways: [Natural]
  /// By state of progress, and cell: the ways to go on with any character of an earlier cell.
  private var earlier: [Natural] = []
  private let runCount: Int

  /// With nothing to come.
  init(_ space: PasswordSpace) {
    self.space = space
    runCount = space.runCount
    let accepting = space.progress.accepting.map { $0 ? 1 as Natural : 0 }
    all = accepting
    ways = accepting.flatMap { [runCount] value in
      Array(repeating: value, count: space.cells.count * runCount)
    }
  }

  /// With one character more to come.
  mutating func extend() {
    let before = self
    let space = space
    earlier.removeAll(keepingCapacity: true)
    for state in all.indices {
      let next = space.progress.transitions[state]
      var sum: Natural = 0
      for (cell, content) in space.cells.enumerated() {
        earlier.append(sum)
        sum.add(
          before.ways(next[content.kind], cell, .fresh), times: UInt64(content.characters.count))
      }
      all[state] = sum
      for cell in space.cells.indices {
        for number in 0..<runCount {
          let run = space.run(number)
          var ways = sum
          for (follower, following) in space.followers(of: cell, run) {
            let state = next[space.cells[follower].kind]
            ways -= before.ways(state, follower, .fresh)
            if let following { ways += before.ways(state, follower, following) }
          }
          self.ways[(state * space.cells.count + cell) * runCount + number] = ways
        }
      }
    }
  }

  /// The cell with the ways of a rank, where all are ranked by cell, and the ways of the cells before.
  func cell(ofRank rank: Natural, _ state: Int) -> (cell: Int, earlier: Natural) {
    let first = state * space.cells.count
    var cells = 0..<space.cells.count
    while cells.count > 1 {
      let middle = cells.lowerBound + cells.count / 2
      cells =
        rank < earlier[first + middle] ? cells.lowerBound..<middle : middle..<cells.upperBound
    }
    return (cells.lowerBound, earlier[first + cells.lowerBound])
  }

  /// The ways to go on with any character of an earlier cell.
  func earlierWays(_ state: Int, _ cell: Int) -> Natural {
    earlier[state * space.cells.count + cell]
  }

  /// The ways to go on after a last character.
  func ways(_ state: Int, _ cell: Int, _ run: Run) -> Natural {
    ways[(state * space.cells.count + cell) * runCount + space.number(of: run)]
  }
}

// The runs as numbers.
extension PasswordSpace {
  typealias Run = PasswordCounts.Run

  fileprivate var repeatingCount: Int { max(0, (maxRepeating ?? 1) - 1) }
  fileprivate var sequentialCount: Int { max(0, (maxSequential ?? 1) - 1) }
  fileprivate var runCount: Int { 1 + repeatingCount + 2 * sequentialCount }

  fileprivate func number(of run: Run) -> Int {
    switch run {
    case .fresh: 0
    case .repeating(let length): length - 1
    case .rising(let length): repeatingCount + length - 1
    case .falling(let length): repeatingCount + sequentialCount + length - 1
    }
  }

  fileprivate func run(_ number: Int) -> Run {
    switch number {
    case 0: .fresh
    case ...repeatingCount: .repeating(number + 1)
    case ...(repeatingCount + sequentialCount): .rising(number - repeatingCount + 1)
    default: .falling(number - repeatingCount - sequentialCount + 1)
    }
  }

  /// The single characters that do not begin afresh after a last one, each by its cell.
  ///
  /// Each has the run that it makes, or nil where that would be too long. They are in the order of the cells.
  func followers(of cell: Int, _ run: Run) -> [(cell: Int, run: Run?)] {
    var followers: [(cell: Int, run: Run?)] = []
    if let limit = maxSequential, let previous = cells[cell].previous {
      let length = if case .falling(let length) = run { length + 1 } else { 2 }
      followers.append((previous, length <= limit ? .falling(length) : nil))
    }
    if let limit = maxRepeating {
      let length = if case .repeating(let length) = run { length + 1 } else { 2 }
      followers.append((cell, length <= limit ? .repeating(length) : nil))
    }
    if let limit = maxSequential, let next = cells[cell].next {
      let length = if case .rising(let length) = run { length + 1 } else { 2 }
      followers.append((next, length <= limit ? .rising(length) : nil))
    }
    return followers
  }
}
