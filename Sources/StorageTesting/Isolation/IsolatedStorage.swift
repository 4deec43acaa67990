import KeyValueStorage
import SecretStorage
import StorageInternals
public import Testing

/// A trait that gives each test case its own standard store and default secret store, in memory.
///
/// ```swift
/// @Suite(.isolatedStorage)
/// struct PlayerTests {
///   @Test(arguments: 0..<200)
///   func volumeIsStored(_ volume: Int) {
///     Player.volume = volume
///     #expect(Player.volume == volume)
///   }
/// }
/// ```
///
/// Both stores are empty at the beginning of a test case, and released at its end. Test cases may
/// run in parallel. Values that have another store are not affected.
///
/// **Process.** In a process that has a test with this trait, whether it runs or not, accesses to
/// the two stores outside of test cases with the trait are refused, also if the app has called
/// `bootstrap`: getters give the default value and report an error that says what to do, setters
/// report it and discard the value, and throwing methods throw it. The process of an exit test has
/// no test with a trait; see ``refuseSharedStorage()``.
///
/// **Globals.** A store captured by a global, as by `static let client = Client(store: .standard)`,
/// belongs to the test case that used the global first.
///
/// **Threads.** The stores apply to the task of the test case and its child tasks, but not to
/// detached tasks, nor to threads that the test starts or uses, such as those of a `DispatchQueue`.
/// Pass the closures for these threads through ``inherited(_:)``. If the tested code makes them,
/// give it a store of its own, such as `KeyValueStore()`.
public struct IsolatedStorage: SuiteTrait, TestTrait, TestScoping {
  init() { Self.refuseSharedStorage() }

  /// Always true, so that each test of a suite with the trait has it.
  public var isRecursive: Bool { true }

  /// Runs a test case with its own stores.
  public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    try await KeyValueStore.withStandard(KeyValueStore()) {
      try await SecretStores.withDefaultStore(InMemorySecretStore(), operation: function)
    }
  }

  /// Refuses accesses to the standard store and the default secret store of the process.
  ///
  /// The trait does this by itself. Call it in a test process without the trait, such as that of an
  /// exit test or of XCTest, and use `KeyValueStore.withStandard` and
  /// `SecretStores.withDefaultStore` there. It cannot be undone.
  public static func refuseSharedStorage() {
    KeyValueStore.refuseStandard(message(about: "standard store"))
    SecretStores.standard.refuseOutsideScopes { RefusingStore() }
  }

  fileprivate static func message(about store: String) -> String {
    """
    The \(store) was used outside of a test case with the trait .isolatedStorage. Add the trait to \
    the test or its suite, pass closures for other threads through IsolatedStorage.inherited(_:), \
    or give the tested code a store of its own.
    """
  }

  /// Returns a closure that has the stores of the current test case on any thread.
  ///
  /// ```swift
  /// DispatchQueue.global().async(execute: IsolatedStorage.inherited { Player.volume = 5 })
  /// ```
  ///
  /// Outside of test cases with the trait, the closure is returned unchanged.
  public static func inherited(
    _ operation: @escaping @Sendable () -> Void
  ) -> @Sendable () -> Void {
    let settings = KeyValueStore.defaultStore.taskScope
    let secrets = SecretStores.standard.taskScope
    return {
      KeyValueStore.defaultStore.withScope(settings) {
        SecretStores.standard.withScope(secrets, operation: operation)
      }
    }
  }
}

extension Trait where Self == IsolatedStorage {
  /// Gives each test case its own standard store and default secret store, in memory.
  public static var isolatedStorage: Self { IsolatedStorage() }
}

/// The default secret store outside of test cases.
private struct RefusingStore: SecretStore {
  private var error: SecretStoreError {
    .unavailable(IsolatedStorage.message(about: "default secret store"))
  }

  var guarantees: StoreGuarantees { [] }
  var authenticator: (any Authenticator)? { nil }

  func revision() throws(SecretStoreError) -> StoreRevision { throw error }

  func items(matching query: ItemQuery) throws(SecretStoreError) -> [SecretItem] { throw error }

  func secret(
    of item: SecretItem.ID, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretReading? { throw error }

  func add(
    _ secret: Secret, identity: ItemIdentity, attributes: ItemAttributes,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem { throw error }

  func update(
    _ item: SecretItem.ID, expecting revision: UInt64, attributes: ItemAttributes?, secret: Secret?,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem { throw error }

  func remove(_ item: SecretItem.ID, expecting revision: UInt64) throws(SecretStoreError) {
    throw error
  }

  func observeChanges(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    ChangeObservation {}
  }
}
