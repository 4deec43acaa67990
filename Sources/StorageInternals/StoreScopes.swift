import Concurrency
import Synchronization

/// The scopes of a task, each of which has another store in place of a default one.
package struct StoreScopes: Sendable {
  @TaskLocal package static var current = StoreScopes()

  /// The scopes by the identifier of the `DefaultStoreScopes`, which lives as long as the process.
  fileprivate var scopes: [ObjectIdentifier: any AnyObject & Sendable] = [:]

  /// Calls a closure in these scopes, for example an observer that they belong to.
  package func run<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // Binding the scopes takes longer than finding that there are none.
    if scopes.isEmpty, Self.current.scopes.isEmpty { return try body() }
    return try Self.$current.withValue(self) { Swift.Result(catching: body) }.get()
  }
}

/// The scopes of one default store of the process.
package final class DefaultStoreScopes<Store: Sendable, State: Sendable>: Sendable {
  /// A period in which one store is the default store, with the states of the properties that use
  /// it.
  ///
  /// A scope may outlive the closure for which it was made, for example in an unstructured task.
  package final class Scope: Sendable {
    package let store: Store
    /// The states by the property's identifier, which stays unique because the property is
    /// retained.
    private let states = Lock([ObjectIdentifier: (property: any Sendable, state: State)]())

    fileprivate init(_ store: Store) { self.store = store }

    /// Returns the state of a property, which is made at its first access.
    package func state(
      of property: some AnyObject & Sendable, _ makeState: (Store) -> State
    ) -> State {
      let key = ObjectIdentifier(property)
      if let existing = states.withLock({ $0[key]?.state }) { return existing }
      // It is made outside of the lock, because it may encode a default value with the app's code.
      let new = makeState(store)
      return states.withLock { states in
        if let existing = states[key]?.state { return existing }
        states[key] = (property, new)
        return new
      }
    }
  }

  private let makeFailingStore: @Sendable (_ message: String) -> Store
  private let findError = AtomicLazyReference<Box<@Sendable () -> String?>>()

  /// Creates scopes; the closure returns a store of which each access throws an error.
  package init(failingStore: @escaping @Sendable (_ message: String) -> Store) {
    makeFailingStore = failingStore
  }

  /// Makes a missing scope an error where a closure returns a message, of one or more sentences.
  ///
  /// Only the first call has an effect.
  package func require(_ findError: @escaping @Sendable () -> String?) {
    _ = self.findError.storeIfNil(Box(findError))
  }

  /// Returns the scopes of the calling task, with a new one in which a store is the default store.
  package func scopes(with store: Store) -> StoreScopes {
    var result = StoreScopes.current
    result.scopes[ObjectIdentifier(self)] = Scope(store)
    return result
  }

  /// Calls a closure without the scope of the calling task.
  package func runOutside<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var scopes = StoreScopes.current
    scopes.scopes[ObjectIdentifier(self)] = nil
    return try scopes.run(body)
  }

  /// The scope of the calling task, or one whose store always fails, if a scope is required.
  package var current: Scope? {
    if let scope = StoreScopes.current.scopes[ObjectIdentifier(self)] { return scope as? Scope }
    guard let findError = findError.load(), !Fork.isChild, let message = findError.value()
    else { return nil }
    // With new states, no access sees the values that another one could not write.
    return Scope(makeFailingStore(message))
  }
}
