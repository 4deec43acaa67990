import Concurrency
import KeyValueStorage
import SecretStorage
public import Testing

/// A trait that gives each test case its own standard store and default secret store, in memory.
///
/// ```swift
/// @Suite(.isolatedStorage)
/// struct PlayerTests {
///   @Test func mutedPlayerIsSilent() {
///     let player = Player()
///     player.mute()
///     #expect(player.volume == 0)
///   }
/// }
/// ```
///
/// The stores are those of `KeyValueStore.withStandard` and `SecretStores.withDefaultStore`, so
/// they apply to the tasks of the test case, but not to detached tasks, to threads that the test
/// creates, or to the body of an exit test. No other test sees them.
public struct IsolatedStorage: SuiteTrait, TestTrait, TestScoping {
  /// The name of the target whose tests require isolated storage; nil if this trait names none.
  private let target: String?

  package init(requiredIn target: String? = nil) { self.target = target }

  /// Always true, so that a suite with this trait isolates the tests of nested suites as well.
  public var isRecursive: Bool { true }

  /// Returns this trait for each test case, and nil for a suite and a test as a whole.
  public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
    testCase == nil ? nil : self
  }

  /// Calls the function of a test case with new, empty stores.
  public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let module = test.sourceLocation.moduleName
    if let target, target != module {
      Issue.record(
        """
        isolatedStorage(requiredIn:) names \(target), but this test is in the module \(module).
        """,
        sourceLocation: test.sourceLocation)
    }
    try await KeyValueStore.withStandard(KeyValueStore()) {
      try await SecretStores.withDefaultStore(InMemorySecretStore()) { try await function() }
    }
  }

  private static let targets = Lock(Set<String>())

  /// Returns the name of a test's module; nil on a thread that belongs to no test.
  package static func module(of test: Test?) -> String? { test?.sourceLocation.moduleName }

  /// Makes the tests of a target fail to access the stores of the machine.
  ///
  /// In a process, only the first call determines the closure, which returns the module of the test
  /// that makes an access.
  package static func require(
    in target: String,
    currentModule: @escaping @Sendable () -> String? = { module(of: Test.current) }
  ) {
    targets.withLock { _ = $0.insert(target) }
    KeyValueStore.requireScope { error("The standard store", in: currentModule()) }
    SecretStores.requireScope { error("The default secret store", in: currentModule()) }
  }

  /// Returns the error of an access without a scope; nil if the module does not require isolated
  /// storage.
  private static func error(_ store: String, in module: String?) -> String? {
    let targets = targets.withLock { $0 }
    if let module, !targets.contains(module) { return nil }
    return """
      \(store) was used outside of a test case with isolated storage, which the tests of \
      \(module ?? targets.sorted().joined(separator: ", ")) require. Add the trait \
      .isolatedStorage to the test or its suite, or give the code a store.
      """
  }
}

extension Trait where Self == IsolatedStorage {
  /// Gives each test case its own, empty standard store and default secret store, in memory.
  public static var isolatedStorage: Self { IsolatedStorage() }

  /// Gives each test case its own stores, and makes isolated storage a requirement of all tests of
  /// a target.
  ///
  /// Use it on one suite or test of the target, and `.isolatedStorage` on the others. In a test of
  /// the target without either, a throwing access to the standard store or the default secret store
  /// throws `KeyValueStoreError.unavailable(_:)` or `SecretStoreError.unavailable(_:)`, and a
  /// property has its default value, with that error. So it is on any thread and in any task of the
  /// process that belongs to no test, because it may be the target's. The requirement applies to
  /// all runs in which the target's tests are discovered, also if a filter excludes this suite. The
  /// requirement does not apply to the body of an exit test, which is another process; call
  /// `withStandard` and `withDefaultStore` there.
  ///
  /// - Parameter target: The name of the module of the test target that contains the suite or test.
  ///   Any other name is an issue of each test.
  /// - Returns: The trait.
  public static func isolatedStorage(requiredIn target: String) -> Self {
    // The testing library evaluates the traits of all tests before it runs the first one.
    IsolatedStorage.require(in: target)
    return IsolatedStorage(requiredIn: target)
  }
}
