import Concurrency

extension SecretStoreError {
  /// Refuses to go on in a child with what its parent does at the same time.
  static func forkedInside(_ what: String) -> SecretStoreError {
    .unavailable("The process was forked inside of \(what), which only the parent goes on with.")
  }

  /// Refuses what needs other threads than the one that a forked child has; nil outside of one.
  static func needsThreads(_ what: String) -> SecretStoreError? {
    guard Fork.isChild else { return nil }
    return .unavailable(
      "\(what) needs threads, which a forked child does not have. Do it in a process of its own.")
  }
}
