import Concurrency
public import SecretStorage
public import Testing

/// The rules that every `SecretStore` keeps, as checks for a store's own tests.
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
/// Each check gets its own store, so checks may run in parallel. Each violation of a rule becomes
/// an issue of the test, with the store, the operation and the expectation; ``findings(of:)``
/// returns the violations instead.
public struct SecretStoreConformance: Sendable {
  private let name: String
  private let largestSecret: Int
  private let patience: Duration
  private let makeStore: @Sendable () throws -> any SecretStore
  private let reopen: (@Sendable (any SecretStore) throws -> any SecretStore)?

  /// Makes checks for the stores of a closure.
  ///
  /// - Parameters:
  ///   - name: The name of the store in issues.
  ///   - largestSecret: The maximum size of a secret that the store promises to keep, in bytes; it
  ///     must refuse one byte more.
  ///   - patience: The time to wait for a notification of a change. It passes in full only when the
  ///     store sends none.
  ///   - makeStore: Makes a new, empty store that shares no content with the others.
  ///   - reopen: Makes another store object over the content of one that `makeStore` made. Without
  ///     it, the checks of another instance use the same instance.
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
  ///   - sourceLocation: The location of issues.
  public func run(_ check: Check, sourceLocation: SourceLocation = #_sourceLocation) async {
    for finding in await findings(of: check) {
      Issue.record(Comment(rawValue: finding), sourceLocation: sourceLocation)
    }
  }

  /// Runs one check on a fresh store, and records nothing.
  ///
  /// Use it to test that the check detects a store that breaks a rule.
  ///
  /// - Parameter check: The rule to check.
  /// - Returns: A sentence for each violation of the rule, with the store, the operation and the
  ///   expectation, in order of occurrence; empty for a store that keeps the rule.
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
  /// - Parameter sourceLocation: The location of issues.
  public func run(sourceLocation: SourceLocation = #_sourceLocation) async {
    for check in Check.allCases { await run(check, sourceLocation: sourceLocation) }
  }
}
