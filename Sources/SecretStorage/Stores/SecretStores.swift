import Concurrency
import StorageInternals
import Synchronization

/// The settings of all passwords of the process.
public enum SecretStores: Sendable {
  private static let failureHandler = Lock<@Sendable (SecretStorageFailure) -> Void>(
    FailureLog().report, inForkedChild: { FailureLog().report })
  private static let childLog = FailureLog<SecretStorageFailure>()

  /// Writes a failure beside an access in a forked child to standard error: a handler could need
  /// the locks of the access, and there is no other thread to call it on.
  static func reportInForkedChild(_ failure: SecretStorageFailure) {
    childLog.report(failure)
  }

  /// Sets the store of all passwords that name none.
  ///
  /// Call it at most once, where the app starts, before the first access to a password; any other
  /// use stops the process. Without it, the passwords are in this machine's vault.
  public static func bootstrap(_ store: any SecretStore) {
    DefaultStore.bootstrap(store)
  }

  /// A handler for the failures of password properties, which cannot throw.
  ///
  /// It is called on the thread of the access, after it, or on any thread for the upkeep of a
  /// store. A password reports a repeated failure only once, until an access succeeds. The default
  /// handler writes a line to standard error for each distinct failure of the process. A forked
  /// child begins with the default handler, and always writes failures of upkeep to standard error.
  public static var onFailure: @Sendable (SecretStorageFailure) -> Void {
    get { failureHandler.withLock { $0 } }
    set { failureHandler.withLock { $0 = newValue } }
  }

  /// Runs an operation, such as a test, in which another store is the default.
  ///
  /// It applies to accesses by the operation and its child tasks to passwords without a store of
  /// their own. Values cached elsewhere are neither read nor changed.
  public static func withDefaultStore<Result>(
    _ store: any SecretStore, operation: () throws -> Result
  ) rethrows -> Result {
    try DefaultStoreOverride.$current.withValue(
      DefaultStoreOverride(store), operation: operation)
  }

  /// Runs an asynchronous operation, such as a test, in which another store is the default.
  ///
  /// It applies to accesses by the operation and its child tasks to passwords without a store of
  /// their own. Values cached elsewhere are neither read nor changed.
  public static func withDefaultStore<Result>(
    _ store: any SecretStore, operation: () async throws -> Result
  ) async rethrows -> Result {
    try await DefaultStoreOverride.$current.withValue(
      DefaultStoreOverride(store), operation: operation)
  }
}

extension SecretStores {
  /// The store of passwords that name none: that of the current `withDefaultStore`, or the store
  /// of the process, which this use then makes permanent.
  package static var defaultStore: any SecretStore {
    DefaultStoreOverride.current?.store ?? DefaultStore.resolved
  }
}
