/// An access to a password property, or the upkeep of a store, that failed.
///
/// It names neither the item nor anything of its content.
public struct PasswordFailure: Hashable, Sendable {
  /// What was tried.
  public enum Operation: Hashable, Sendable {
    /// The value, the attributes or the status were to be read.
    case read
    /// The value was to be saved, or removed by setting nil; it is kept as unsaved.
    case write
    /// The value was to be changed in place, and the stored one could not be read: the change was
    /// given up, and nothing of it is kept.
    case change
    /// The store was to be watched, tidied or remembered beside an access that succeeded.
    case upkeep
    /// A vault was written to a new file, as for another passphrase, and the directory could not be
    /// synchronised: the change counts, but a power cut may bring the file before it back.
    case durability
  }

  /// What was tried.
  public let operation: Operation
  /// Why it failed.
  public let error: SecretStoreError

  /// Describes a failure.
  public init(_ operation: Operation, _ error: SecretStoreError) {
    self.operation = operation
    self.error = error
  }
}

extension PasswordFailure: CustomStringConvertible {
  /// What failed and why, and what to do about it.
  public var description: String {
    switch operation {
    case .read: "A password could not be read. \(error)"
    case .write: "A password could not be saved and is kept in memory. \(error)"
    case .change: "A password could not be read, so a change of it was given up. \(error)"
    case .durability: "A store was changed, but the change may not outlast a power cut. \(error)"
    case .upkeep: "Nothing was lost, but a store's upkeep failed. \(error)"
    }
  }
}
