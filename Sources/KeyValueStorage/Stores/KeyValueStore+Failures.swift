import Concurrency
import StorageInternals
import ValueFormats

extension KeyValueStore {
  private static let log = FailureLog<KeyValueStoreError>()
  /// The app's handler; nil in a forked child, because another thread may have been setting it.
  private static let failureHandler = Lock<(@Sendable (KeyValueStoreError) -> Void)?>(
    nil, inForkedChild: { nil })

  /// The handler of failures in calls that cannot throw, such as a property's getter or setter.
  ///
  /// It may be called on any thread. The default handler prints each distinct failure of the
  /// process once, as a line on standard error. A forked child starts with the default handler.
  public static var onFailure: @Sendable (KeyValueStoreError) -> Void {
    get { failureHandler.withLock { $0 } ?? log.report }
    set { failureHandler.withLock { $0 = newValue } }
  }

  static func report(_ error: KeyValueStoreError) {
    onFailure(error)
  }

  /// Reports changes that are lost at exit: on standard error, and to the app's handler.
  func reportUnwritten(_ error: KeyValueStoreError) {
    let keys = state.withLock { $0.unsaved.keys.map(\.string) }.sorted()
    let more = keys.count > 10 ? " and \(keys.count - 10) more" : ""
    let names = keys.prefix(10).map { String(reflecting: $0) }.joined(separator: ", ")
    FailureLog<KeyValueStoreError>.standardError(
      """
      These settings of \(name) were not written before the process exited: \(names)\(more). \
      \(error)
      """)
    if let handler = Self.failureHandler.withLock({ $0 }) { handler(error) }
  }
}
