import Concurrency
package import StorageInternals

extension KeyValueStore {
  /// The settings of this app, in `settings.json` in the directory named after the executable.
  ///
  /// An app that needs another name, another policy, or migrations, passes a store with them to
  /// ``bootstrap(_:)``. Within `withStandard(_:operation:)`, it is the store of that call.
  ///
  /// A ``StoredValue`` that is created with this store uses the standard store of each access, not
  /// that of its creation. Any other use of this property, such as a call of
  /// `transaction(_:)`, uses the store that it returned.
  public static var standard: KeyValueStore {
    defaultStore.scope?.store ?? defaultStore.candidate
  }

  /// Sets the standard store of the process, in place of the file named after the executable.
  ///
  /// Call this method at most once, before the first access to a setting of the standard store. Any
  /// other call traps. Properties may be created before the call.
  public static func bootstrap(_ store: KeyValueStore) {
    // Each read and write begins with an attempt to watch the file.
    defaultStore.bootstrap(store) { $0.watch.withLock { $0.lastAttempt != nil } }
  }

  /// Calls a closure, such as a test, during which another store is the standard one.
  ///
  /// It applies to all accesses by the closure and its child tasks, including those to properties
  /// created before, such as static ones. It does not apply to other threads that the closure
  /// starts or uses, such as those of a `DispatchQueue`. Observers that the closure registers run
  /// with the store as the standard one. Values cached outside the closure are neither used nor
  /// changed.
  public static func withStandard<Result>(
    _ store: KeyValueStore, operation: () throws -> Result
  ) rethrows -> Result {
    try defaultStore.withStore(store, operation: operation)
  }

  /// Calls an asynchronous closure, such as a test, during which another store is the standard one.
  ///
  /// It applies to all accesses by the closure and its child tasks, including those to properties
  /// created before, such as static ones. It does not apply to other threads that the closure
  /// starts or uses, such as those of a `DispatchQueue`. Observers that the closure registers run
  /// with the store as the standard one. Values cached outside the closure are neither used nor
  /// changed.
  public static func withStandard<Result>(
    _ store: KeyValueStore, operation: () async throws -> Result
  ) async rethrows -> Result {
    try await defaultStore.withStore(store, operation: operation)
  }
}

extension KeyValueStore {
  /// The standard store of the process and of its `withStandard` calls.
  package static let defaultStore = DefaultStore<KeyValueStore>(
    DefaultStoreWords(
      bootstrap: "KeyValueStore.bootstrap(_:)", store: "standard store", value: "a setting")
  ) { KeyValueStore(applicationName: nil) }

  private static let refusedName = "the standard store, outside of a test's scope"

  /// Refuses accesses to the standard store outside `withStandard`, until the process ends.
  ///
  /// - Parameter message: Sentences about the reason and the remedy.
  package static func refuseStandard(_ message: String) {
    defaultStore.refuseOutsideScopes {
      KeyValueStore(
        UnreachableBackend(format: .json, name: refusedName, error: .unavailable(message)))
    }
  }

  /// Whether this is the standard store, or has been returned in its place.
  var isStandard: Bool {
    let standard = Self.defaultStore
    return self === standard.taskScope?.store || self === standard.current?.store
      || self === standard.existingFallback
      || StoreScopes.wereUsed && name == Self.refusedName && backend is UnreachableBackend
  }
}
