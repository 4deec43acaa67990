import FoundationEssentials

/// The extent of the campaigns: a sample, or with `LOCKET_CAMPAIGN=full` all of them.
package enum Campaign {
  package static let isFull = ProcessInfo.processInfo.environment["LOCKET_CAMPAIGN"] == "full"

  package static func size(sample: Int, full: Int) -> Int { isFull ? full : sample }
}
