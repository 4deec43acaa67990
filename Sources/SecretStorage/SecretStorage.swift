import StorageInternals

/// What holds for all passwords of the process.
public enum SecretStorage: Sendable {
  private static let failureHandler = Lock<@Sendable (PasswordFailure) -> Void>(
    FailureLog().report, inForkedChild: { FailureLog().report })
  private static let childLog = FailureLog<PasswordFailure>()

  /// Writes what failed beside an access in a forked child to standard error: a handler could need
  /// what the access holds, and there is no other thread to call it on.
  static func reportInForkedChild(_ failure: PasswordFailure) {
    childLog.report(failure)
  }

  /// Names the store of all passwords that name none themselves.
  ///
  /// Call it at most once, where the app starts, before the first access to a password; anything
  /// else is misuse and stops the process. Without it, the passwords are in this machine's vault.
  public static func bootstrap(_ store: any SecretStore) {
    DefaultStore.bootstrap(store)
  }

  /// Is told when reading or writing a password property failed, which itself cannot throw.
  ///
  /// It is called on the thread of the access, after it, and on any thread for the upkeep of a
  /// store. A password tells of a failure that repeats itself only once, until an access succeeds.
  /// Unless the app sets another handler, each distinct failure of the process is one line on
  /// standard error. So it is again in a forked child, where failures of upkeep are such a line
  /// whatever the handler is.
  public static var onFailure: @Sendable (PasswordFailure) -> Void {
    get { failureHandler.withLock { $0 } }
    set { failureHandler.withLock { $0 = newValue } }
  }

  /// Runs an operation, such as a test, in which another store is the default.
  ///
  /// It holds for the passwords without a store of their own that are accessed by the operation and
  /// by its child tasks, and only for these accesses: values cached elsewhere are neither seen nor
  /// changed.
  public static func withDefaultStore<Result>(
    _ store: any SecretStore, operation: () throws -> Result
  ) rethrows -> Result {
    try DefaultStoreOverride.$current.withValue(
      DefaultStoreOverride(store), operation: operation)
  }

  /// Runs an asynchronous operation, such as a test, in which another store is the default.
  ///
  /// It holds for the passwords without a store of their own that are accessed by the operation and
  /// by its child tasks, and only for these accesses: values cached elsewhere are neither seen nor
  /// changed.
  public static func withDefaultStore<Result>(
    _ store: any SecretStore, operation: () async throws -> Result
  ) async rethrows -> Result {
    try await DefaultStoreOverride.$current.withValue(
      DefaultStoreOverride(store), operation: operation)
  }
}
