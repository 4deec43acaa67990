import Concurrency

/// The progress of long work on a store.
public struct MaintenanceProgress: Hashable, Sendable {
  /// The number of completed items.
  public let completed: Int
  /// The total number of items, as far as it is known.
  public let total: Int

  /// Creates a progress value.
  public init(completed: Int, total: Int) {
    self.completed = completed
    self.total = total
  }

  /// The decision whether the work continues after a report.
  public enum Decision: Hashable, Sendable {
    /// The work continues.
    case proceed
    /// The work ends soon, and throws ``SecretStoreError/cancelled``.
    case cancel
  }
}

extension MaintenanceProgress {
  /// Calls a closure with the progress.
  ///
  /// - Throws: ``SecretStoreError/cancelled`` when the closure cancels, or an error in a child that
  ///   the closure forked: the work and its locks belong to the parent.
  package func report(
    to report: (MaintenanceProgress) -> Decision
  ) throws(SecretStoreError) {
    let process = Fork.generation
    let decision = report(self)
    if process != Fork.generation { throw .forkedInside("long work on a store") }
    if decision == .cancel { throw .cancelled }
  }
}
