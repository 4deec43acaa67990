import StorageInternals

extension KeyValueStore {
  private static let failureHandler = Lock<@Sendable (KeyValueStoreError) -> Void>(
    FailureLog().report)

  /// Is told when something failed that itself cannot throw, such as a property's getter or setter.
  ///
  /// It may be called on any thread. Unless the app sets another handler, each distinct failure of the
  /// process is one line on standard error.
  public static var onFailure: @Sendable (KeyValueStoreError) -> Void {
    get { failureHandler.withLock { $0 } }
    set { failureHandler.withLock { $0 = newValue } }
  }

  static func report(_ error: KeyValueStoreError) {
    onFailure(error)
  }
}
