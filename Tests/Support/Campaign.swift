import FoundationEssentials

/// The extent of the campaigns: a sample, or with `LOCKET_CAMPAIGN=full` all of them.
package enum Campaign {
  package static let isFull = ProcessInfo.processInfo.environment["LOCKET_CAMPAIGN"] == "full"

  /// The distance between the positions that are tried: all in full, every third one in a sample.
  package static let step = isFull ? 1 : 3

  /// The first position that is tried; in samples it differs.
  package static var start: Int { Int.random(in: 0..<step) }

  package static func size(sample: Int, full: Int) -> Int { isFull ? full : sample }
}
