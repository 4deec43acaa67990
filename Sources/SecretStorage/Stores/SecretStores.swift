import Concurrency
import StorageInternals
import Synchronization

/// The default store and the failure handler of the process.
public enum SecretStores: Sendable {
  private static let failureHandler = Lock<(@Sendable (SecretStorageFailure) -> Void)?>(nil)
  private static let log = FailureLog<SecretStorageFailure>()

  /// Reports a failure by a call of the app's handler on a queue, or at once on standard error.
  static func report(_ failure: SecretStorageFailure, on queue: SerialQueue) {
    guard let handler = failureHandler.withLock({ $0 }) else { return log.report(failure) }
    queue.run { handler(failure) }
  }

  /// Lets the default handler report failures again.
  package static func didSucceed(after failures: [SecretStorageFailure]) {
    for failure in failures { log.forget(failure) }
  }

  /// Sets the store for passwords that do not specify one, in place of this machine's vault.
  ///
  /// Call this method at most once, before the first access to a password. Any other call traps.
  public static func bootstrap(_ store: any SecretStore) {
    let new = Box(DefaultStore(store: store, isBootstrapped: true))
    let choice = DefaultStore.choice.storeIfNil(new)
    if choice === new { return }
    fatalError(
      choice.value.isBootstrapped
        ? "SecretStores.bootstrap(_:) was called twice. Call it once, when the app starts."
        : """
        SecretStores.bootstrap(_:) was called after the default store had been used. Call it when the \
        app starts, before the first access to a password.
        """)
  }

  /// A handler for failures of password properties, which cannot throw errors.
  ///
  /// The handler is called after the access, on the same thread, or on any thread for failures of
  /// maintenance. A password reports a repeated failure only once until an access succeeds, except
  /// that it reports each discarded in-place change. The default handler writes one line to
  /// standard error for each distinct failure, and repeats it only after an access or the same
  /// maintenance succeeds. It remembers the latest 100 failures. In a forked child, it writes one
  /// line in all.
  public static var onFailure: @Sendable (SecretStorageFailure) -> Void {
    get {
      if Fork.isChild { return { _ in Fork.report() } }
      return failureHandler.withLock { $0 } ?? log.report
    }
    set { if !Fork.isChild { failureHandler.withLock { $0 = newValue } } }
  }

  /// Calls a closure, such as a test, during which another store is the default store.
  ///
  /// The store applies to all accesses by the closure, its child tasks and the observers that they
  /// add to settings, vaults or stores in memory, to passwords that do not specify a store. Values
  /// cached outside the closure are neither used nor changed.
  public static func withDefaultStore<Result>(
    _ store: any SecretStore, operation: () throws -> Result
  ) rethrows -> Result {
    try DefaultStore.scopes.scopes(with: store).run(operation)
  }

  /// Calls an asynchronous closure, during which another store is the default store.
  ///
  /// The store applies to the same accesses as during a synchronous closure.
  public static func withDefaultStore<Result>(
    _ store: any SecretStore, operation: () async throws -> Result
  ) async rethrows -> Result {
    try await StoreScopes.$current.withValue(
      DefaultStore.scopes.scopes(with: store), operation: operation)
  }

  /// Makes an access to the default store outside of `withDefaultStore` fail if a closure returns a
  /// message, of one or more sentences.
  package static func requireScope(_ findError: @escaping @Sendable () -> String?) {
    DefaultStore.scopes.require(findError)
  }

  /// The store of the current `withDefaultStore` call, or the default store, which is then fixed.
  package static var defaultStore: any SecretStore {
    DefaultStore.scopes.current?.store ?? DefaultStore.resolved
  }
}

/// The default store of the process, which is set at most once.
struct DefaultStore: Sendable {
  fileprivate static let choice = AtomicLazyReference<Box<DefaultStore>>()
  /// The scopes of `withDefaultStore` calls.
  static let scopes = DefaultStoreScopes<any SecretStore, StoredPassword> { message in
    UnavailableStore(error: .unavailable(message))
  }

  let store: any SecretStore
  let isBootstrapped: Bool

  static var current: DefaultStore? { choice.load()?.value }

  /// The store that was set; if there is none, sets it to this machine's vault.
  static var resolved: any SecretStore {
    if let current { return current.store }
    let vault = DefaultStore(store: .vault, isBootstrapped: false)
    return choice.storeIfNil(Box(vault)).value.store
  }
}

/// A failure of an access to a password property, or of the maintenance of a store, without the
/// identity or the content of an item.
public struct SecretStorageFailure: Hashable, Sendable {
  /// The operation that failed.
  public enum Operation: Hashable, Sendable {
    /// Reading the value, the attributes or the status.
    case read
    /// Saving the value, or removing the item by setting nil; the change stays unsaved.
    case write
    /// Reading the stored value for an in-place change, which is then discarded.
    case change
    /// Observing or cleaning up the store, or recording its state on this machine.
    case maintenance
    /// Flushing the directory of a new file of a vault: a power failure may undo the change.
    case durability
  }

  /// The operation that failed.
  public let operation: Operation
  /// The error.
  public let error: SecretStoreError

  /// Creates a failure.
  public init(_ operation: Operation, _ error: SecretStoreError) {
    self.operation = operation
    self.error = error
  }
}

extension SecretStorageFailure: CustomStringConvertible {
  /// A description of the failure and, where possible, of the remedy.
  public var description: String {
    switch operation {
    case .read: "A password could not be read. \(error)"
    case .write: "A password could not be saved and is kept in memory. \(error)"
    case .change: "A password could not be read, so its change was discarded. \(error)"
    case .durability:
      "A store was changed, but the change may not survive a power failure. \(error)"
    case .maintenance: "A store needs attention, although an access to it succeeded. \(error)"
    }
  }
}
