import StorageInternals
import Synchronization

/// Makes the store that an app uses which names no other.
private func machineDefault() -> any SecretStore {
  SecretVault.vault
}

/// The default store of the process: undecided until it is named or needed.
enum DefaultStore {
  private final class Choice: Sendable {
    let store: any SecretStore
    let isBootstrapped: Bool

    init(_ store: any SecretStore, isBootstrapped: Bool) {
      self.store = store
      self.isBootstrapped = isBootstrapped
    }
  }

  /// Not behind a lock: a forked child has the same default store, whatever its parent was doing.
  private static let choice = AtomicLazyReference<Choice>()

  /// The store that the app named, or this machine's; from now on it stays the same.
  static var resolved: any SecretStore {
    if let choice = choice.load() { return choice.store }
    return choice.storeIfNil(Choice(machineDefault(), isBootstrapped: false)).store
  }

  /// The store that the app named or that was needed already, without deciding it.
  static var decided: (store: any SecretStore, isBootstrapped: Bool)? {
    choice.load().map { ($0.store, $0.isBootstrapped) }
  }

  static func bootstrap(_ store: any SecretStore) {
    let wanted = Choice(store, isBootstrapped: true)
    let choice = choice.storeIfNil(wanted)
    if choice === wanted { return }
    fatalError(
      choice.isBootstrapped
        ? "SecretStorage.bootstrap(_:) was called twice. Call it once, where the app starts."
        : """
        SecretStorage.bootstrap(_:) was called after the default store had been used. Call it where \
        the app starts, before the first access to a password.
        """)
  }
}

/// A default store for the time of one operation, with the state of the passwords used in it.
///
/// The state is kept here and not in the passwords, so that a password which outlives the operation
/// (a constant, a static) brings nothing of another operation along.
final class DefaultStoreOverride: Sendable {
  private typealias Object = any AnyObject & Sendable

  @TaskLocal static var current: DefaultStoreOverride?

  let store: any SecretStore
  /// By the identifier of the password, which is held so that no other object gets the same.
  private let states = Lock(
    [ObjectIdentifier: (password: Object, state: Object)](), inForkedChild: { [:] })

  init(_ store: any SecretStore) {
    self.store = store
  }

  /// The state of a password in this operation, made at its first access.
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

extension SecretStorage {
  /// The store of those that name none, here and now.
  package static var defaultStore: any SecretStore {
    DefaultStoreOverride.current?.store ?? DefaultStore.resolved
  }
}
