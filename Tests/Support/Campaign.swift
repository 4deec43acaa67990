import FoundationEssentials

/// The extent of the campaigns: a sample, or with `LOCKET_CAMPAIGN=full` all of them.
package enum Campaign {
  package static let isFull = ProcessInfo.processInfo.environment["LOCKET_CAMPAIGN"] == "full"

  package static func size(sample: Int, full: Int) -> Int { isFull ? full : sample }

  /// The seed of all random numbers: the same in every plain run.
  ///
  /// `TestRun` chooses one for a campaign, which prints it, and `LOCKET_SEED` repeats it.
  package static let seed: UInt64 = {
    let chosen = ProcessInfo.processInfo.environment["LOCKET_SEED"].flatMap { UInt64($0) }
    let seed = chosen ?? 20_261_126
    if isFull { print("Campaign: LOCKET_SEED=\(seed)") }
    return seed
  }()

  /// Returns random numbers that depend on the seed, and on the test by its number.
  package static func generator(_ number: Int = 0) -> SeededGenerator {
    var generator = SeededGenerator(seed: seed)
    return SeededGenerator(seed: generator.next() &+ UInt64(truncatingIfNeeded: number))
  }
}
