import Concurrency
import Synchronization

// The standard store, and the stores that take its place.
extension KeyValueStore {
  /// The settings of this app, in `settings.json` in the directory named after the executable; see
  /// ``init(applicationName:writes:version:migrations:)``.
  ///
  /// Each access uses the store of the current ``withStandard(_:operation:)`` call, or else the
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
  /// Call this method at most once, before the first access to a setting of the standard store; the
  /// settings may be declared earlier. Any other call traps.
  public static func bootstrap(_ store: KeyValueStore) {
    let new = Box(store.substitute ?? store)
    let choice = StandardStore.choice.storeIfNil(new)
    if choice === new { return }
    fatalError(
      choice.value === StandardStore.ofMachine
        ? """
        KeyValueStore.bootstrap(_:) was called after the standard store had been used. Call it when \
        the app starts, before the first access to a setting.
        """
        : "KeyValueStore.bootstrap(_:) was called twice. Call it once, when the app starts.")
  }

  /// Calls a closure, such as a test, during which another store takes the place of ``standard``.
  ///
  /// The store applies to all accesses by the closure, its child tasks and the observers that they
  /// add, also to settings declared outside the closure. Values cached outside are neither used nor
  /// changed. Detached tasks and other threads have the process's standard store.
  public static func withStandard<Result>(
    _ store: KeyValueStore, operation: () throws -> Result
  ) rethrows -> Result {
    try StandardStore.$scope.withValue(StandardStore.Scope(store), operation: operation)
  }

  /// Calls an asynchronous closure, during which another store takes the place of ``standard``.
  ///
  /// The store applies to the same accesses as during a synchronous closure.
  public static func withStandard<Result>(
    _ store: KeyValueStore, operation: () async throws -> Result
  ) async rethrows -> Result {
    try await StandardStore.$scope.withValue(StandardStore.Scope(store), operation: operation)
  }

  /// Makes an access to the standard store without a scope fail if a closure returns a message, of
  /// one or more sentences.
  package static func requireScope(_ findError: @escaping @Sendable () -> String?) {
    StandardStore.findError.withLock { $0 = findError }
    StandardStore.mayHaveScope.store(true, ordering: .releasing)
  }

  /// The store that an access to ``standard`` uses; nil for every other store.
  ///
  /// Each method that an app calls begins by calling the same method of this store.
  var substitute: KeyValueStore? {
    guard self === Self.standard else { return nil }
    return StandardStore.currentScope?.store ?? StandardStore.bootstrapped
      ?? StandardStore.ofMachine
  }
}

/// The store that takes the place of `KeyValueStore.standard`.
enum StandardStore {
  /// A period in which one store is the standard store, with the settings that use it.
  ///
  /// A scope may outlive the `withStandard` call, for example in an unstructured task.
  final class Scope: Sendable {
    let store: KeyValueStore
    /// The settings by the identifier of the declared setting, which is retained so that its
    /// identifier stays unique.
    private let settings = Lock([ObjectIdentifier: (declared: Setting, setting: Setting)]())

    init(_ store: KeyValueStore) {
      self.store = store.substitute ?? store
      StandardStore.mayHaveScope.store(true, ordering: .releasing)
    }

    /// Returns the setting in this scope's store, which is created at its first access.
    func setting(for declared: Setting) -> Setting {
      settings.withLock { settings in
        let key = ObjectIdentifier(declared)
        if let existing = settings[key]?.setting { return existing }
        let setting = declared.inOtherStore(store)
        settings[key] = (declared, setting)
        return setting
      }
    }
  }

  @TaskLocal static var scope: Scope?
  /// Whether a task may have a scope, or need one, so that each access must look for it.
  fileprivate static let mayHaveScope = Atomic(false)
  /// Returns the error of an access without a scope; nil if it needs none.
  fileprivate static let findError = Lock<(@Sendable () -> String?)?>(nil)

  /// The machine's store, in the directory named after the executable.
  static let ofMachine = KeyValueStore(applicationName: nil)
  /// The process's store, which the first access sets to that of the machine.
  fileprivate static let choice = AtomicLazyReference<Box<KeyValueStore>>()
  private static let isMachineChosen = Atomic(false)

  /// Whether every access uses the machine's store; false until the first access.
  static var isMachines: Bool {
    !mayHaveScope.load(ordering: .acquiring) && isMachineChosen.load(ordering: .relaxed)
  }

  /// The scope of the calling task, or one whose store always throws, if a scope is required.
  static var currentScope: Scope? {
    if !mayHaveScope.load(ordering: .acquiring) { return nil }
    if let scope { return scope }
    guard !Fork.isChild, let message = findError.withLock({ $0 })?() else { return nil }
    // With a new store, no access sees the values that another one could not write.
    return Scope(KeyValueStore(MemoryBackend(failingWith: .unavailable(message))))
  }

  /// The store of `bootstrap(_:)`; nil if there is none, and then none can be set any more.
  static var bootstrapped: KeyValueStore? {
    let store = (choice.load() ?? choice.storeIfNil(Box(ofMachine))).value
    if store !== ofMachine { return store }
    isMachineChosen.store(true, ordering: .relaxed)
    return nil
  }

  /// Returns a handler that is called in the scope of the task that calls this function.
  static func inCurrentScope(
    _ handler: @escaping KeyObservers.Handler
  ) -> KeyObservers.Handler {
    guard let scope else { return handler }
    return { key, value in $scope.withValue(scope) { handler(key, value) } }
  }
}
