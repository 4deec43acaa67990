import Concurrency
import StorageInternals
import Synchronization

/// The settings of all passwords of the process.
public enum SecretStores: Sendable {
  private static let failureHandler = Lock<@Sendable (PasswordFailure) -> Void>(
    FailureLog().report, inForkedChild: { FailureLog().report })
  private static let childLog = FailureLog<PasswordFailure>()

  /// Writes a failure beside an access in a forked child to standard error: a handler could need
  /// the locks of the access, and there is no other thread to call it on.
  static func reportInForkedChild(_ failure: PasswordFailure) {
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
  /// It is called on the thread of the access, after it, or on any thread for the maintenance of a
  /// store. A password reports a repeated failure only once, until an access succeeds. The default
  /// handler writes a line to standard error for each distinct failure of the process. A forked
  /// child begins with the default handler, and always writes maintenance failures to standard error.
  public static var onFailure: @Sendable (PasswordFailure) -> Void {
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

/// The default store of the process, undecided until it is set or first used.
enum DefaultStore {
  private final class Choice: Sendable {
    let store: any SecretStore
    let isBootstrapped: Bool

    init(_ store: any SecretStore, isBootstrapped: Bool) {
      self.store = store
      self.isBootstrapped = isBootstrapped
    }
  }

  /// Not behind a lock: a forked child has the same default store, in any state of its parent.
  private static let choice = AtomicLazyReference<Choice>()

  /// The store that the app set, or this machine's; the first use makes it permanent.
  fileprivate static var resolved: any SecretStore {
    if let choice = choice.load() { return choice.store }
    return choice.storeIfNil(Choice(SecretVault.vault, isBootstrapped: false)).store
  }

  /// The store that the app set or that is already in use; does not decide it.
  static var decided: (store: any SecretStore, isBootstrapped: Bool)? {
    choice.load().map { ($0.store, $0.isBootstrapped) }
  }

  static func bootstrap(_ store: any SecretStore) {
    let wanted = Choice(store, isBootstrapped: true)
    let choice = choice.storeIfNil(wanted)
    if choice === wanted { return }
    fatalError(
      choice.isBootstrapped
        ? "SecretStores.bootstrap(_:) was called twice. Call it once, where the app starts."
        : """
        SecretStores.bootstrap(_:) was called after the default store had been used. Call it where \
        the app starts, before the first access to a password.
        """)
  }
}

/// A default store for the duration of one operation, with the state of the passwords used in it.
///
/// The state is kept here and not in the passwords, so that a password that outlives the operation
/// (a constant, a static) does not keep state of another operation.
final class DefaultStoreOverride: Sendable {
  private typealias Object = any AnyObject & Sendable

  @TaskLocal static var current: DefaultStoreOverride?

  let store: any SecretStore
  /// The states by identifier of the password, which is retained so that its identifier stays
  /// unique.
  private let states = Lock(
    [ObjectIdentifier: (password: Object, state: Object)](), inForkedChild: { [:] })

  init(_ store: any SecretStore) {
    self.store = store
  }

  /// Returns the state of a password in this operation, creating it at the first access.
  func state<State: AnyObject & Sendable>(
    of password: any AnyObject & Sendable, orMake make: () -> State
  ) -> State {
    states.withLock { states in
      let key = ObjectIdentifier(password)
      if let known = states[key]?.state as? State { return known }
      let state = make()
      states[key] = (password, state)
      return state
    }
  }
}

extension SecretStores {
  /// The store of passwords that name none: that of the current `withDefaultStore`, or the store
  /// of the process, which this use then makes permanent.
  package static var defaultStore: any SecretStore {
    DefaultStoreOverride.current?.store ?? DefaultStore.resolved
  }
}
