/// The progress of a long-running operation on a store.
public struct MaintenanceProgress: Hashable, Sendable {
  /// The number of completed items.
  public let completed: Int
  /// The total number of items; 0 while it is unknown.
  public let total: Int

  /// Creates a progress value.
  public init(completed: Int, total: Int) {
    self.completed = completed
    self.total = total
  }

  /// A decision about whether an operation continues after a report.
  public enum Decision: Hashable, Sendable {
    /// The operation continues.
    case proceed
    /// The operation stops and throws ``SecretStoreError/cancelled``.
    case cancel
  }

  /// Throws `cancelled` if the closure cancels, and `forked` in a child that it has forked.
  package func report(
    to report: (MaintenanceProgress) -> Decision
  ) throws(SecretStoreError) {
    let decision = report(self)
    try SecretStoreError.checkProcess()
    if decision == .cancel { throw .cancelled }
  }
}
