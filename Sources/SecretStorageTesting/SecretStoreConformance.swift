public import SecretStorage
import StorageInternals
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
/// Each check gets a store of its own, so that they may run in parallel. Each violation of a rule
/// is an issue of the test, which says the store, the operation and the expectation;
/// ``findings(of:)`` returns the violations instead.
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

  /// Runs one check on a fresh store, and records an issue for each finding.
  ///
  /// - Parameters:
  ///   - check: The rule to check.
  ///   - sourceLocation: Where issues are shown.
  public func run(_ check: Check, sourceLocation: SourceLocation = #_sourceLocation) async {
    for finding in await findings(of: check) {
      Issue.record(Comment(rawValue: finding), sourceLocation: sourceLocation)
    }
  }

  /// Runs one check on a fresh store, and records nothing.
  ///
  /// Use it to test that a store which breaks a rule is found out.
  ///
  /// - Parameter check: The rule to check.
  /// - Returns: A sentence for each violation of the rule, with the store, the operation and the
  ///   expectation, in the order of their occurrence; empty for a store that keeps the rule.
  public func findings(of check: Check) async -> [String] {
    let title = "\(name), \(check.rawValue)"
    do {
      let store = try makeStore()
      let trial = Trial(
        store: store, another: try reopen?(store) ?? store, largestSecret: largestSecret,
        patience: patience, title: title)
      do {
        try await trial.run(check)
      } catch {
        trial.findings.withLock { $0.append("\(title): threw: \(error)") }
      }
      return trial.findings.withLock { $0 }
    } catch {
      return ["\(title): threw: \(error)"]
    }
  }

  /// Runs every check, each on a fresh store.
  ///
  /// - Parameter sourceLocation: Where issues are shown.
  public func run(sourceLocation: SourceLocation = #_sourceLocation) async {
    for check in Check.allCases { await run(check, sourceLocation: sourceLocation) }
  }
}
