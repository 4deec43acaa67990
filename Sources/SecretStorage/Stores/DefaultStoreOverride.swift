import Concurrency

/// The default store during a `withDefaultStore` call, and the state of the passwords that use it.
///
/// The passwords do not keep this state themselves, because they may outlive the call, for example
/// as static properties.
final class DefaultStoreOverride: Sendable {
  private typealias Object = any AnyObject & Sendable

  @TaskLocal static var current: DefaultStoreOverride?

  let store: any SecretStore
  /// The states, by the object identifier of the password, which stays unique because the password
  /// is retained.
  private let states = Lock(
    [ObjectIdentifier: (password: Object, state: Object)](), inForkedChild: { [:] })

  init(_ store: any SecretStore) {
    self.store = store
  }

  /// Returns the state of a password, which is created on first access.
  func state<State: AnyObject & Sendable>(
    of password: any AnyObject & Sendable, orCreate create: () -> State
  ) -> State {
    states.withLock { states in
      let key = ObjectIdentifier(password)
      if let known = states[key]?.state as? State { return known }
      let state = create()
      states[key] = (password, state)
      return state
    }
  }
}
