/// A failed access to a password property, or failed upkeep of a store.
///
/// It contains neither the item's name nor its content.
public struct SecretStorageFailure: Hashable, Sendable {
  /// The operation that failed.
  public enum Operation: Hashable, Sendable {
    /// Reading the value, the attributes or the status.
    case read
    /// Saving the value, or removing it by setting nil; the value stays unsaved.
    case write
    /// Reading the stored value for a change in place; the change is discarded.
    case change
    /// Observing, tidying or remembering the store beside a successful access, or a discovery about
    /// the store that the app should know.
    case upkeep
    /// Synchronising the directory after a vault was written to a new file, as for another
    /// passphrase: the change is made, but a power cut may restore the previous file.
    case durability
  }

  /// The operation that failed.
  public let operation: Operation
  /// The error.
  public let error: SecretStoreError

  /// Makes a failure.
  public init(_ operation: Operation, _ error: SecretStoreError) {
    self.operation = operation
    self.error = error
  }
}

extension SecretStorageFailure: CustomStringConvertible {
  /// The operation, the error, and the remedy.
  public var description: String {
    switch operation {
    case .read: "A password could not be read. \(error)"
    case .write: "A password could not be saved and is kept in memory. \(error)"
    case .change: "A password could not be read, so its change was discarded. \(error)"
    case .durability: "A store was changed, but the change may not outlast a power cut. \(error)"
    case .upkeep: "A store needs attention, although an access to it succeeded. \(error)"
    }
  }
}
