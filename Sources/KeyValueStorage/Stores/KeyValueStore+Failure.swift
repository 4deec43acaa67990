import StorageInternals

extension KeyValueStore {
  private static let log = FailureLog<KeyValueStoreError>()
  /// The app's handler; none in a forked child, for it may be half set there.
  private static let failureHandler = Lock<(@Sendable (KeyValueStoreError) -> Void)?>(
    nil, inForkedChild: { nil })

  /// Is told when something failed that itself cannot throw, such as a property's getter or setter.
  ///
  /// It may be called on any thread. Unless the app sets another handler, each distinct failure of
  /// the process is one line on standard error. A forked child begins without the app's handler.
  public static var onFailure: @Sendable (KeyValueStoreError) -> Void {
    get { failureHandler.withLock { $0 } ?? log.report }
    set { failureHandler.withLock { $0 = newValue } }
  }

  static func report(_ error: KeyValueStoreError) {
    onFailure(error)
  }

  /// Tells what is lost because a process ends: on standard error, and to the handler of the app.
  func reportUnwritten(_ error: KeyValueStoreError) {
    let keys = state.withLock { $0.unsaved.keys.map(\.string) }.sorted()
    let more = keys.count > 10 ? " and \(keys.count - 10) more" : ""
    let names = keys.prefix(10).map { String(reflecting: $0) }.joined(separator: ", ")
    FailureLog<KeyValueStoreError>.standardError(
      "The process ends, and these settings of \(name) are not written: \(names)\(more). \(error)")
    if let handler = Self.failureHandler.withLock({ $0 }) { handler(error) }
  }
}
