public import SecretStorage
public import Testing

/// Checks that a `SecretStore` that can only be read follows the rules of its contract.
///
/// The test supplies the items, as files, variables or whatever else the store reads:
///
/// ```swift
/// let conformance = ReadOnlyStoreConformance("MyStore") { items in
///   try MyStore(in: newDirectory(with: items))
/// }
///
/// @Test(arguments: conformance.checks)
/// func conforms(_ check: ReadOnlyStoreConformance.Check) async {
///   await conformance.run(check)
/// }
/// ```
///
/// Each check gets a new store, so checks may run in parallel. Each violation of a rule is recorded
/// as an issue that names the store, the operation and the expectation. ``findings(of:)`` returns
/// the violations instead. Stores that can be written have ``SecretStoreConformance``.
public struct ReadOnlyStoreConformance: Sendable {
  /// The texts of supplied items.
  public typealias Items = [ItemIdentity: String]

  /// One rule of the `SecretStore` contract for a store that can only be read.
  public enum Check: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// A store has no items if none are supplied.
    case emptyStoreHasNoItems
    /// Each kind of query finds exactly the supplied items that match.
    case suppliedItemsAreFound
    /// The texts of items, which may be long and have any characters, are read unchanged.
    case textsAreRead
    /// The secret of an item that does not exist is nil.
    case missingSecretIsNil
    /// Searches return the items in the order of their dates, and in the same order each time.
    case resultsAreOldestFirst
    /// The guarantees include that the store can only be read, and do not change.
    case guaranteesAreTrue
    /// Each write throws the error `readOnly` and changes nothing.
    case writesAreRejected
    /// Reads do not change the revision of the store for longer than a moment.
    case readsKeepStoreRevision
    /// Reading a secret also returns the revisions of the item and of the store.
    case readingReturnsRevisions
    /// Added, changed and removed items are seen immediately, with new revisions.
    case changesAreSeen
    /// Every observer is notified of each kind of change.
    case observersAreNotified
    /// An observer is not notified after its observation is released.
    case releasedObserversAreNotNotified

    /// The name of the rule.
    public var testDescription: String { rawValue }

    fileprivate var concernsChanges: Bool {
      switch self {
      case .changesAreSeen, .observersAreNotified, .releasedObserversAreNotNotified: true
      default: false
      }
    }
  }

  private let name: String
  private let identities: [ItemIdentity]
  private let timeout: Duration
  private let makeStore: @Sendable (Items) throws -> any SecretStore
  private let supply: (@Sendable (any SecretStore, Items) throws -> Void)?

  /// Creates checks for the stores that a closure makes.
  ///
  /// - Parameters:
  ///   - name: The name of the store in issues.
  ///   - identities: At least three different identities that the store can have. By default, they
  ///     are generic passwords, some of which have an account.
  ///   - timeout: The maximum time to wait for the notification of a change, extended while the
  ///     machine is busy. A check ends at the first one that is missing.
  ///   - makeStore: Makes a new store of exactly these items.
  ///   - supply: Replaces the items that a store from `makeStore` reads by exactly these. If it is
  ///     nil, the store does not change, and the rules about changes are not checked.
  public init(
    _ name: String,
    identities: [ItemIdentity] = [
      .generic(service: "first", account: "a"), .generic(service: "first", account: "b"),
      .generic(service: "second"), .generic(service: "third", account: "a"),
    ],
    timeout: Duration = .seconds(2),
    makeStore: @escaping @Sendable (Items) throws -> any SecretStore,
    supply: (@Sendable (any SecretStore, Items) throws -> Void)? = nil
  ) {
    precondition(Set(identities).count >= 3, "The suite needs three different identities.")
    self.name = name
    self.identities = identities
    self.timeout = timeout
    self.makeStore = makeStore
    self.supply = supply
  }

  /// The checks that the closures make possible.
  public var checks: [Check] { Check.allCases.filter { supply != nil || !$0.concernsChanges } }

  /// Runs one check on a new store, and records an issue for each violation.
  ///
  /// - Parameters:
  ///   - check: The rule to check.
  ///   - sourceLocation: The location to which the issues are attributed.
  public func run(_ check: Check, sourceLocation: SourceLocation = #_sourceLocation) async {
    Findings.record(await findings(of: check), at: sourceLocation)
  }

  /// Runs one check on a new store without recording issues.
  ///
  /// - Parameter check: The rule to check.
  /// - Returns: A sentence for each violation, which names the store, the operation and the
  ///   expectation; an empty array if the store follows the rule or the check is not possible.
  public func findings(of check: Check) async -> [String] {
    if !checks.contains(check) { return [] }
    return await Findings.collected(by: check, of: name) { findings in
      let items = Dictionary(
        uniqueKeysWithValues: Set(identities).enumerated().map { ($1, "text \($0)") })
      let supplied = check == .emptyStoreHasNoItems ? [:] : items
      let store = try makeStore(supplied)
      let run = ReadOnlyRun(
        store: store, items: supplied, identities: identities, timeout: timeout,
        findings: findings, makeStore: makeStore, supply: { try supply?(store, $0) })
      try await run.run(check)
    }
  }
}
