public import SecretStorage
public import Testing

/// A suite of checks that a `SecretStore` follows the rules of its contract, for use in tests.
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
/// Each check gets a new store, so checks may run in parallel. Each violation of a rule is recorded
/// as an issue that names the store, the operation and the expectation.
public struct SecretStoreConformance: Sendable {
  private let name: String
  private let makeRun: @Sendable (Findings) throws -> ConformanceRun

  /// Creates checks for the stores that a closure makes.
  ///
  /// - Parameters:
  ///   - name: The name of the store in issues.
  ///   - largestSecret: The size of the largest secret that the store accepts, in bytes.
  ///   - timeout: The maximum time to wait for the notification of a change; nil for no limit.
  ///   - makeStore: A closure that returns a new, empty store that shares no content with others.
  ///   - reopen: A closure that returns another instance with the content of a store that
  ///     `makeStore` returned. If it is nil, checks of two instances use the same one twice.
  public init(
    _ name: String,
    largestSecret: Int = 16 * 1024 * 1024,
    timeout: Duration? = .seconds(20),
    makeStore: @escaping @Sendable () throws -> any SecretStore,
    reopen: (@Sendable (any SecretStore) throws -> any SecretStore)? = nil
  ) {
    self.name = name
    makeRun = { findings in
      let store = try makeStore()
      return ConformanceRun(
        store: store, otherInstance: try reopen?(store) ?? store, largestSecret: largestSecret,
        timeout: timeout, findings: findings)
    }
  }

  /// Runs one check on a new store, and records an issue for each violation.
  public func run(_ check: Check, sourceLocation: SourceLocation = #_sourceLocation) async {
    for finding in await findings(of: check) {
      Issue.record(Comment(rawValue: finding), sourceLocation: sourceLocation)
    }
  }

  /// Runs one check on a new store, and returns a sentence for each violation; records no issues.
  public func findings(of check: Check) async -> [String] {
    await Findings.ofCheck("\(name), \(check.rawValue)") { try await makeRun($0).run(check) }
  }

  /// Runs every check, each on a new store.
  public func run(sourceLocation: SourceLocation = #_sourceLocation) async {
    for check in Check.allCases { await run(check, sourceLocation: sourceLocation) }
  }
}
