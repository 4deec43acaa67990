/// Rounds of some rows, for `.ci/instructions`, which counts their instructions.
enum CountedRounds {
  static func run(_ rows: [Row]) {
    for row in rows {
      let workload = row.subject()
      // The first round prepares the second, which is counted until the third, empty one.
      for iterations in [100, 100, 0] { countedRound(workload, iterations) }
    }
  }
}

/// Runs one round; callgrind ends a count at each call, which it finds by this name.
@inline(never)
private func countedRound(_ workload: Workload, _ iterations: Int) {
  workload.run(iterations)
}
