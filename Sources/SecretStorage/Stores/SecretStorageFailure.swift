/// A failure of an access to a password property, or of the maintenance of a store.
///
/// It contains neither the identity nor the content of an item.
public struct SecretStorageFailure: Hashable, Sendable {
  /// The operation that failed.
  public enum Operation: Hashable, Sendable {
    /// Reading the value, the attributes or the status.
    case read
    /// Saving the value, or removing the item by setting nil; the change stays unsaved.
    case write
    /// Reading the stored value for an in-place change, which is then discarded.
    case change
    /// Observing or cleaning up the store, or recording its state on this machine. The access itself
    /// succeeded.
    case maintenance
    /// Flushing the directory after a vault was written to a new file, for example with a new
    /// passphrase. The change was made, but a power failure may undo it.
    case durability
  }

  /// The operation that failed.
  public let operation: Operation
  /// The error.
  public let error: SecretStoreError

  /// Creates a failure.
  public init(_ operation: Operation, _ error: SecretStoreError) {
    self.operation = operation
    self.error = error
  }
}

extension SecretStorageFailure: CustomStringConvertible {
  /// A description of the failure and, where possible, of the remedy.
  public var description: String {
    switch operation {
    case .read: "A password could not be read. \(error)"
    case .write: "A password could not be saved and is kept in memory. \(error)"
    case .change: "A password could not be read, so its change was discarded. \(error)"
    case .durability:
      "A store was changed, but the change may not survive a power failure. \(error)"
    case .maintenance: "A store needs attention, although an access to it succeeded. \(error)"
    }
  }
}
