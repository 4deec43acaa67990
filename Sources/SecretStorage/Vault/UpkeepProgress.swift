import Concurrency

/// How far long work on a store has come.
public struct UpkeepProgress: Hashable, Sendable {
  /// The number of items that are done.
  public let completed: Int
  /// The number of items that there are to do, as far as it is known by now.
  public let total: Int

  /// Describes a progress.
  public init(completed: Int, total: Int) {
    self.completed = completed
    self.total = total
  }

  /// Whoever is told of progress decides whether the work goes on.
  public enum Decision: Hashable, Sendable {
    /// The work goes on.
    case proceed
    /// The work ends soon, and throws ``SecretStoreError/cancelled``.
    case cancel
  }
}

extension UpkeepProgress {
  /// Tells a closure of the progress.
  ///
  /// - Throws: ``SecretStoreError/cancelled`` when the work is to end, or an error in a child that
  ///   the closure forked: the work and its locks are the parent's.
  func report(
    to report: (UpkeepProgress) -> Decision
  ) throws(SecretStoreError) {
    let process = Fork.generation
    let decision = report(self)
    if process != Fork.generation { throw .forkedInside("long work on a store") }
    if decision == .cancel { throw .cancelled }
  }
}
