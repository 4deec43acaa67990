public import SecretStorage
public import Testing

/// The rules that every `SecretStore` keeps, as checks that a store's own tests run.
///
/// ```swift
/// let conformance = SecretStoreConformance("MyStore") { try MyStore(in: newDirectory()) }
///
/// @Test(arguments: SecretStoreConformance.Check.allCases)
/// func conforms(_ check: SecretStoreConformance.Check) async {
///   await conformance.run(check)
/// }
/// ```
///
/// Each check gets a store of its own, so that they may run in parallel. What a store does wrong is
/// an issue of the test, which says the store, the operation and what was expected.
public struct SecretStoreConformance: Sendable {
  private let name: String
  private let largestSecret: Int
  private let patience: Duration
  private let makeStore: @Sendable () throws -> any SecretStore
  private let reopen: (@Sendable (any SecretStore) throws -> any SecretStore)?

  /// Describes how to get at the stores to check.
  ///
  /// - Parameters:
  ///   - name: What issues call the store.
  ///   - largestSecret: The size in bytes up to which the store promises to keep secrets; one byte
  ///     more must be refused.
  ///   - patience: How long an observer may wait to hear of a change. It passes in full only when
  ///     the store is silent.
  ///   - makeStore: Makes a fresh, empty store that keeps nothing of the others.
  ///   - reopen: Makes another store object over the content of one that `makeStore` made. Without
  ///     it, the checks of what another instance sees run on one instance.
  public init(
    _ name: String,
    largestSecret: Int = 16 * 1024 * 1024,
    patience: Duration = .seconds(20),
    makeStore: @escaping @Sendable () throws -> any SecretStore,
    reopen: (@Sendable (any SecretStore) throws -> any SecretStore)? = nil
  ) {
    self.name = name
    self.largestSecret = largestSecret
    self.patience = patience
    self.makeStore = makeStore
    self.reopen = reopen
  }

  /// Runs one check on a fresh store.
  ///
  /// - Parameters:
  ///   - check: The rule to check.
  ///   - sourceLocation: Where issues are shown.
  public func run(_ check: Check, sourceLocation: SourceLocation = #_sourceLocation) async {
    do {
      let store = try makeStore()
      let another = try reopen?(store) ?? store
      let trial = Trial(
        store: store, another: another, largestSecret: largestSecret, patience: patience,
        title: "\(name), \(check.rawValue)", sourceLocation: sourceLocation)
      try await trial.run(check)
    } catch {
      Issue.record("\(name), \(check.rawValue): threw: \(error)", sourceLocation: sourceLocation)
    }
  }

  /// Runs every check, each on a fresh store.
  ///
  /// - Parameter sourceLocation: Where issues are shown.
  public func run(sourceLocation: SourceLocation = #_sourceLocation) async {
    for check in Check.allCases { await run(check, sourceLocation: sourceLocation) }
  }
}
