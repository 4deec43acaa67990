import Concurrency
import StorageInternals
import Synchronization

/// The default store and the failure handler of the process.
public enum SecretStores: Sendable {
  private static let failureHandler = Lock<@Sendable (SecretStorageFailure) -> Void>(
    FailureLog().report, inForkedChild: { FailureLog().report })
  private static let childLog = FailureLog<SecretStorageFailure>()

  /// Writes a failure of maintenance to standard error in a forked child.
  ///
  /// The app's handler is not called, because it could need locks that the current access holds,
  /// and there is no other thread.
  static func reportInForkedChild(_ failure: SecretStorageFailure) {
    childLog.report(failure)
  }

  /// Sets the store for passwords that do not specify one; otherwise they use this machine's vault.
  ///
  /// Call this method at most once, before the first access to a password. Any other call traps.
  public static func bootstrap(_ store: any SecretStore) {
    DefaultStore.bootstrap(store)
  }

  /// A handler for failures of password properties, which cannot throw errors.
  ///
  /// It is called on the thread of the access, after the access, or on any thread for failures of
  /// maintenance. A password reports a repeated failure only once until an access succeeds. The default
  /// handler writes a line to standard error for each distinct failure. A forked child has the
  /// default handler initially, and always writes failures of maintenance to standard error.
  public static var onFailure: @Sendable (SecretStorageFailure) -> Void {
    get { failureHandler.withLock { $0 } }
    set { failureHandler.withLock { $0 = newValue } }
  }

  /// Calls a closure, such as a test, during which another store is the default store.
  ///
  /// It applies to all accesses by the closure and its child tasks to passwords that do not specify
  /// a store. Values cached outside the closure are neither used nor changed.
  public static func withDefaultStore<Result>(
    _ store: any SecretStore, operation: () throws -> Result
  ) rethrows -> Result {
    try DefaultStoreOverride.$current.withValue(
      DefaultStoreOverride(store), operation: operation)
  }

  /// Calls an asynchronous closure, such as a test, during which another store is the default
  /// store.
  ///
  /// It applies to all accesses by the closure and its child tasks to passwords that do not specify
  /// a store. Values cached outside the closure are neither used nor changed.
  public static func withDefaultStore<Result>(
    _ store: any SecretStore, operation: () async throws -> Result
  ) async rethrows -> Result {
    try await DefaultStoreOverride.$current.withValue(
      DefaultStoreOverride(store), operation: operation)
  }
}

extension SecretStores {
  /// The store for passwords that do not specify one: that of the current `withDefaultStore` call,
  /// or else the default store of the process, which can no longer be changed after this.
  package static var defaultStore: any SecretStore {
    DefaultStoreOverride.current?.store ?? DefaultStore.resolved
  }
}
