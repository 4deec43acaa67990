import Concurrency
import KeyValueStorage
import SecretStorage
public import Testing

/// A trait that gives each test case its own standard store and default secret store, in memory.
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
    if let mistake = mistake(in: test) {
      Issue.record("\(mistake)", sourceLocation: test.sourceLocation)
    }
    try await KeyValueStore.withStandard(KeyValueStore()) {
      try await SecretStores.withDefaultStore(InMemorySecretStore()) { try await function() }
    }
  }

  /// What is wrong if a test with this trait is not in the named target; nil if nothing is.
  package func mistake(in test: Test) -> String? {
    let module = test.sourceLocation.moduleName
    guard let target, target != module else { return nil }
    return "isolatedStorage(requiredIn:) names \(target), but this test is in the module \(module)."
  }

  private static let targets = Lock(Set<String>())

  /// Makes the tests of a target fail to access the stores of the machine.
  static func require(in target: String) {
    targets.withLock { _ = $0.insert(target) }
    KeyValueStore.requireScope { error("The standard store") }
    SecretStores.requireScope { error("The default secret store") }
  }

  private static func error(_ store: String) -> String? {
    error(store, in: Test.current, requiredIn: targets.withLock { $0 })
  }

  /// Returns the error of an access without a scope, in a test or on a thread that belongs to none;
  /// nil if the test's target is not one of those that require isolated storage.
  package static func error(
    _ store: String, in test: Test?, requiredIn targets: Set<String>
  ) -> String? {
    let module = test?.sourceLocation.moduleName
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
