import Concurrency

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
