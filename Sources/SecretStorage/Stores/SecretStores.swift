import Concurrency
package import StorageInternals
import Synchronization

/// The default store and the failure handler of the process.
public enum SecretStores: Sendable {
  private static let failureHandler = FailureHandler<SecretStorageFailure>()

  /// Reports a failure on standard error; the app's handler could need locks that are held here.
  static func reportInForkedChild(_ failure: SecretStorageFailure) {
    failureHandler.log.report(failure)
  }

  /// Sets the store for passwords that do not specify one, in place of this machine's vault.
  ///
  /// Call this method at most once, before the first access to a password. Any other call traps.
  public static func bootstrap(_ store: any SecretStore) { standard.bootstrap(store) }

  /// A handler for failures of password properties, which cannot throw errors.
  ///
  /// The handler is called after the access, on the same thread, or on any thread for failures of
  /// maintenance. A password reports a repeated failure only once until an access succeeds. The
  /// default handler writes a line to standard error for each distinct failure. A forked child has
  /// the default handler initially, and always writes failures of maintenance to standard error.
  public static var onFailure: @Sendable (SecretStorageFailure) -> Void {
    get { failureHandler.report }
    set { failureHandler.report = newValue }
  }

  /// Whether failures of properties contain their identities, and lines of the default handler name
  /// the account and the service or server; false initially.
  ///
  /// Set it where the log is as private as the store.
  public static var failuresNameItems: Bool {
    get { namesItems.load(ordering: .relaxed) }
    set { namesItems.store(newValue, ordering: .relaxed) }
  }

  private static let namesItems = Atomic(false)

  /// Calls a closure, such as a test, during which another store is the default store.
  ///
  /// It applies to all accesses by the closure and its child tasks to passwords that do not specify
  /// a store. Values cached outside the closure are neither used nor changed.
  public static func withDefaultStore<Result>(
    _ store: any SecretStore, operation: () throws -> Result
  ) rethrows -> Result {
    try standard.withStore(store, operation: operation)
  }

  /// Calls an asynchronous closure, such as a test, during which another store is the default one.
  ///
  /// It applies to all accesses by the closure and its child tasks to passwords that do not specify
  /// a store. Values cached outside the closure are neither used nor changed.
  public static func withDefaultStore<Result>(
    _ store: any SecretStore, operation: () async throws -> Result
  ) async rethrows -> Result {
    try await standard.withStore(store, operation: operation)
  }

  /// The store of the process and of its `withDefaultStore` calls.
  package static let standard = DefaultStore<any SecretStore>(
    DefaultStoreWords(
      bootstrap: "SecretStores.bootstrap(_:)", store: "default store", value: "a password")
  ) { SecretVault.vault }

  /// The store of the current `withDefaultStore` call, or the process's, which becomes permanent.
  package static var defaultStore: any SecretStore { standard.scope?.store ?? standard.resolved }
}

/// A failure of an access to a password property, or of the maintenance of a store.
///
/// It contains no secret, and the identity of an item only if the app allows it.
public struct SecretStorageFailure: Hashable, Sendable {
  /// The operation that failed.
  public enum Operation: Hashable, Sendable {
    /// Reading the value, the attributes or the status.
    case read
    /// Saving the value, or removing the item by setting nil; the change stays unsaved.
    case write
    /// Reading the stored value for an in-place change, which is then discarded.
    case change
    /// Observing or cleaning up the store, or recording its state on this machine. The access
    /// itself succeeded.
    case maintenance
    /// Flushing the directory after a vault was written to a new file, for example with a new
    /// passphrase. The change was made, but a power failure may undo it.
    case durability
  }

  /// The operation that failed.
  public let operation: Operation
  /// The error.
  public let error: SecretStoreError

  /// The name of the property's store, such as the vault's path; nil for a store's own failures.
  public let storeName: String?
  /// The property's identity; nil unless ``SecretStores/failuresNameItems`` is true.
  public let identity: ItemIdentity?

  /// Creates a failure.
  public init(
    _ operation: Operation, _ error: SecretStoreError, storeName: String? = nil,
    identity: ItemIdentity? = nil
  ) {
    self.operation = operation
    self.error = error
    self.storeName = storeName
    self.identity = identity
  }
}

extension SecretStorageFailure: CustomStringConvertible {
  /// A description of the failure and, where possible, of the remedy.
  public var description: String {
    let item = identity.map { "The password of \($0.parts)" } ?? "A password"
    let password = item + (storeName.map { " in \($0.sanitized())" } ?? "")
    return switch operation {
    case .read: "\(password) could not be read. \(error)"
    case .write: "\(password) could not be saved and is kept in memory. \(error)"
    case .change: "\(password) could not be read, so its change was discarded. \(error)"
    case .durability:
      "A store was changed, but the change may not survive a power failure. \(error)"
    case .maintenance: "A store needs attention, although an access to it succeeded. \(error)"
    }
  }
}
