import Concurrency
import StorageInternals
import Synchronization

// The standard store, and the stores that take its place.
extension KeyValueStore {
  /// The settings of this app, in `settings.json` in the directory named after the executable; see
  /// ``init(applicationName:syntax:writes:version:migrations:)``.
  ///
  /// Each access uses the store of the current `withStandard(_:operation:)` call, or else the
  /// store of ``bootstrap(_:)``, even if the property was declared earlier.
  public static let standard = KeyValueStore(
    // This object only stands for the store to use, so a method that ignores `substitute` fails.
    MemoryBackend(failingWith: .unavailable("The standard store does not support this method.")))

  /// Sets the store that takes the place of ``standard``.
  ///
  /// ```swift
  /// KeyValueStore.bootstrap(KeyValueStore(applicationName: "player"))
  /// ```
  ///
  /// Call this method at most once, before any use of ``standard``; its settings may be declared
  /// earlier. Any other call traps.
  public static func bootstrap(_ store: KeyValueStore) {
    let choice = Box(store.substitute ?? store)
    let first = StandardStore.choice.storeIfNil(choice)
    if first === choice { return }
    if first.value !== StandardStore.ofMachine {
      fatalError("KeyValueStore.bootstrap(_:) was called twice. Call it once, when the app starts.")
    }
    fatalError(
      """
      KeyValueStore.bootstrap(_:) was called after the standard store had been used. Call it when \
      the app starts, before the first access to a setting.
      """)
  }

  /// Calls a closure, such as a test, during which another store takes the place of ``standard``.
  ///
  /// The store applies to all accesses by the closure, its child tasks and the observers that they
  /// add to settings, vaults or stores in memory, also to settings declared outside the closure.
  /// Values cached outside are neither used nor changed. Detached tasks and other threads have the
  /// process's standard store.
  public static func withStandard<Result>(
    _ store: KeyValueStore, operation: () throws -> Result
  ) rethrows -> Result {
    try StandardStore.scopes(with: store).run(operation)
  }

  /// Calls an asynchronous closure, during which another store takes the place of ``standard``.
  ///
  /// The store applies to the same accesses as during a synchronous closure.
  public static func withStandard<Result>(
    _ store: KeyValueStore, operation: () async throws -> Result
  ) async rethrows -> Result {
    try await StoreScopes.$current.withValue(
      StandardStore.scopes(with: store), operation: operation)
  }

  /// Makes an access to the standard store without a scope fail if a closure returns a message, of
  /// one or more sentences.
  package static func requireScope(_ findError: @escaping @Sendable () -> String?) {
    StandardStore.scopes.require(findError)
    StandardStore.mayHaveScope.store(true, ordering: .releasing)
  }

  /// The store that an access to ``standard`` uses; nil for every other store.
  ///
  /// Each method that an app calls begins by calling the same method of this store.
  var substitute: KeyValueStore? {
    guard self === Self.standard else { return nil }
    return StandardStore.scope?.store ?? StandardStore.bootstrapped
      ?? StandardStore.ofMachine
  }
}

/// The store that takes the place of `KeyValueStore.standard`.
enum StandardStore {
  /// The machine's store, in the directory named after the executable.
  static let ofMachine = KeyValueStore(applicationName: nil)
  /// The process's store; the first access sets it to that of the machine.
  fileprivate static let choice = AtomicLazyReference<Box<KeyValueStore>>()
  /// Whether the machine's store is known to be the choice; checking it retains nothing.
  private static let isMachineChosen = Atomic(false)
  /// The scopes of `withStandard` calls.
  static let scopes = DefaultStoreScopes<KeyValueStore, Setting> { message in
    KeyValueStore(MemoryBackend(failingWith: .unavailable(message)))
  }
  /// Whether a task may have a scope, or need one; checking it costs a get less than a lookup.
  fileprivate static let mayHaveScope = Atomic(false)

  /// Whether every access uses the machine's store; false until the first access.
  static var isMachines: Bool {
    !mayHaveScope.load(ordering: .acquiring) && isMachineChosen.load(ordering: .relaxed)
  }

  /// The scope of the calling task, or one whose store always throws, if a scope is required.
  static var scope: DefaultStoreScopes<KeyValueStore, Setting>.Scope? {
    mayHaveScope.load(ordering: .acquiring) ? scopes.current : nil
  }

  /// The store of `bootstrap(_:)`; nil if there is none, and then none can be set any more.
  static var bootstrapped: KeyValueStore? {
    let store = (choice.load() ?? choice.storeIfNil(Box(ofMachine))).value
    if store !== ofMachine { return store }
    isMachineChosen.store(true, ordering: .relaxed)
    return nil
  }

  /// Returns the scopes of the calling task, with a new one in which a store is the standard store.
  fileprivate static func scopes(with store: KeyValueStore) -> StoreScopes {
    mayHaveScope.store(true, ordering: .releasing)
    return scopes.scopes(with: store.substitute ?? store)
  }
}
