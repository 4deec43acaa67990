import Concurrency
import Synchronization

/// The store of the values that do not specify one: that of the process, or that of a scope.
///
/// The store of the process is permanent once it has been set or used. A scope is a closure, such
/// as a test, with another store; only its task and its child tasks are in the scope.
package final class DefaultStore<Store: Sendable>: Sendable {
  /// The store of a scope, and the states of the values that use it.
  ///
  /// The values may outlive the scope, for example as static properties.
  package final class Scope: Sendable {
    private typealias Object = any AnyObject & Sendable

    package let store: Store
    /// The states by the value's identifier, which stays unique because the value is retained.
    private let states = Lock(
      [ObjectIdentifier: (value: Object, state: Object)](), inForkedChild: { [:] })

    fileprivate init(_ store: Store) { self.store = store }

    /// Returns the state of a value, which is created on first access.
    package func state<State: AnyObject & Sendable>(
      of value: any AnyObject & Sendable, orCreate create: () -> State
    ) -> State {
      states.withLock { states in
        let key = ObjectIdentifier(value)
        if let existing = states[key]?.state as? State { return existing }
        let state = create()
        states[key] = (value, state)
        return state
      }
    }
  }

  /// The store of the process.
  package final class Choice: Sendable {
    package let store: Store
    package let isBootstrapped: Bool

    fileprivate init(_ store: Store, isBootstrapped: Bool) {
      self.store = store
      self.isBootstrapped = isBootstrapped
    }
  }

  /// A closure that returns a new store, on which every access fails.
  private final class Refusal: Sendable {
    let makeStore: @Sendable () -> Store

    init(_ makeStore: @escaping @Sendable () -> Store) { self.makeStore = makeStore }
  }

  private let words: DefaultStoreWords
  private let makeFallback: @Sendable () -> Store
  // Not protected by locks, so that a forked child always has the default store of its parent.
  private let choice = AtomicLazyReference<Choice>()
  private let fallback = AtomicLazyReference<Choice>()
  private let refusal = AtomicLazyReference<Refusal>()
  // The runtime identifies a task-local value by this object, which is never released: each
  // default store is a constant of the process.
  private let scopeOfTask = TaskLocal<Scope?>(wrappedValue: nil)

  /// - Parameters:
  ///   - words: The words for messages.
  ///   - makeFallback: Returns the store of a process that sets none.
  package init(_ words: DefaultStoreWords, orElse makeFallback: @escaping @Sendable () -> Store) {
    self.words = words
    self.makeFallback = makeFallback
  }

  /// The current scope; nil if the store of the process applies.
  ///
  /// Outside scopes, after `refuseOutsideScopes(with:)`, each access has a new one.
  package var scope: Scope? {
    guard StoreScopes.wereUsed else { return nil }
    return scopeOfTask.get() ?? refusal.load().map { Scope($0.makeStore()) }
  }

  /// The scope of the task; nil outside scopes.
  package var taskScope: Scope? { StoreScopes.wereUsed ? scopeOfTask.get() : nil }

  /// The store of the process, which becomes permanent.
  package var resolved: Store {
    (choice.load() ?? choice.storeIfNil(createdFallback)).store
  }

  /// The store that was set or used; nil if there is none yet.
  package var current: Choice? { choice.load() }

  /// The store that `resolved` would return, which does not become permanent.
  package var candidate: Store { (choice.load() ?? createdFallback).store }

  /// The store of a process that sets none; nil if it was never needed.
  package var existingFallback: Store? { fallback.load()?.store }

  private var createdFallback: Choice {
    fallback.load() ?? fallback.storeIfNil(Choice(makeFallback(), isBootstrapped: false))
  }

  /// Sets the store of the process; traps if it was set or used before.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - isUsed: Returns whether the app has used the fallback itself, not through a value.
  package func bootstrap(_ store: Store, isUsed: (Store) -> Bool = { _ in false }) {
    let new = Choice(store, isBootstrapped: true)
    let isFallbackUsed = fallback.load().map { isUsed($0.store) } ?? false
    let choice = isFallbackUsed ? createdFallback : choice.storeIfNil(new)
    if choice === new { return }
    fatalError(
      choice.isBootstrapped
        ? "\(words.bootstrap) was called twice. Call it once, when the app starts."
        : """
        \(words.bootstrap) was called after the \(words.store) had been used. Call it when the app \
        starts, before the first access to \(words.value).
        """)
  }

  /// Refuses all accesses outside scopes, from now on and until the process ends.
  ///
  /// The closure returns a new store, on which every access fails with the reason. Each access to a
  /// value has a store of its own, so that no unsaved change is seen by another access.
  package func refuseOutsideScopes(with makeStore: @escaping @Sendable () -> Store) {
    _ = refusal.storeIfNil(Refusal(makeStore))
    StoreScopes.use()
  }

  /// Calls a closure in a new scope.
  package func withStore<Result>(
    _ store: Store, operation: () throws -> Result
  ) rethrows -> Result {
    try withScope(Scope(store), operation: operation)
  }

  /// Calls an asynchronous closure in a new scope.
  package func withStore<Result>(
    _ store: Store, operation: () async throws -> Result
  ) async rethrows -> Result {
    StoreScopes.use()
    return try await scopeOfTask.withValue(Scope(store), operation: operation)
  }

  /// Calls a closure in a scope, perhaps on another thread than the scope's.
  package func withScope<Result>(
    _ scope: Scope?, operation: () throws -> Result
  ) rethrows -> Result {
    guard let scope else { return try operation() }
    StoreScopes.use()
    return try scopeOfTask.withValue(scope, operation: operation)
  }
}

/// The words for messages about a default store.
package struct DefaultStoreWords: Sendable {
  let bootstrap: StaticString
  let store: StaticString
  let value: StaticString

  /// - Parameters:
  ///   - bootstrap: The name of the app's call that sets the store.
  ///   - store: The name of the store, without article.
  ///   - value: A value that uses the store, with article.
  package init(bootstrap: StaticString, store: StaticString, value: StaticString) {
    self.bootstrap = bootstrap
    self.store = store
    self.value = value
  }
}

/// Whether the process uses scopes, which an app outside of tests does not.
///
/// Without them, an access needs no look at the task, which takes as long as the access itself.
package enum StoreScopes {
  private static let flag = Atomic(false)

  package static var wereUsed: Bool { flag.load(ordering: .relaxed) }

  /// Never undone: a task that outlives its scope stays in it.
  static func use() { flag.store(true, ordering: .relaxed) }
}
