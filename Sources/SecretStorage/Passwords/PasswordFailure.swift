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
    /// The store was to be watched, tidied or remembered beside an access that succeeded.
    case upkeep
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
    case .upkeep: "Nothing was lost, but a store's upkeep failed. \(error)"
    }
  }
}
