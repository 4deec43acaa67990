import Concurrency
import SecretStorage

struct ConformanceRun: Sendable {
  let store: any SecretStore
  /// Another instance with the same content, or `store` itself.
  let otherInstance: any SecretStore
  let largestSecret: Int
  let timeout: Duration?
  let title: String
  let findings: Lock<[String]>

  func expect(_ holds: Bool, _ operation: String, _ expectation: String) {
    if holds { return }
    findings.withLock { $0.append("\(title): \(operation): expected \(expectation)") }
  }

  func expect<Result>(
    _ expected: SecretStoreError, _ operation: String,
    _ body: @autoclosure () throws(SecretStoreError) -> Result
  ) {
    do throws(SecretStoreError) {
      _ = try body()
      expect(false, operation, "the error “\(expected)”, but the operation succeeded")
    } catch {
      expect(error == expected, operation, "the error “\(expected)”, but got “\(error)”")
    }
  }

  func expectItems(
    _ expected: [SecretItem], matching query: ItemQuery, _ expectation: String
  ) throws(SecretStoreError) {
    expect(try items(matching: query) == expected, "items(matching:)", expectation)
  }

  /// Expects an item's secret to equal a string, or the item to have no secret if that is nil.
  func expectSecret(
    _ expected: String?, of item: SecretItem, _ operation: String, _ expectation: String
  ) throws(SecretStoreError) {
    expect(try secret(of: item) == expected.map { Secret($0.utf8) }, operation, expectation)
  }

  /// The written item, or nil if the store rejects it, with a permitted error and no change.
  func acceptedItem(
    _ operation: String, _ write: @autoclosure () throws(SecretStoreError) -> SecretItem
  ) throws(SecretStoreError) -> SecretItem? {
    let before = try content()
    do throws(SecretStoreError) {
      return try write()
    } catch {
      switch error {
      case .unsupported, .invalid: break
      default: expect(false, operation, "the error unsupported or invalid, but got “\(error)”")
      }
      expect(try content() == before, operation, "no change after a rejected write")
      return nil
    }
  }

  @discardableResult
  func add(
    _ identity: ItemIdentity, _ secret: String = "secret",
    attributes: ItemAttributes = ItemAttributes()
  ) throws(SecretStoreError) -> SecretItem {
    try store.add(Secret(secret.utf8), identity: identity, attributes: attributes)
  }

  @discardableResult
  func update(
    _ item: SecretItem, _ attributes: ItemAttributes? = nil, secret: Secret? = nil
  ) throws(SecretStoreError) -> SecretItem {
    try store.update(item.id, expecting: item.revision, attributes: attributes, secret: secret)
  }

  func remove(_ item: SecretItem) throws(SecretStoreError) {
    try store.remove(item.id, expecting: item.revision)
  }

  func secret(of item: SecretItem) throws(SecretStoreError) -> Secret? {
    try store.secret(of: item.id)?.secret
  }

  func items(matching query: ItemQuery) throws(SecretStoreError) -> [SecretItem] {
    try store.items(matching: query)
  }

  func content() throws(SecretStoreError) -> (items: [SecretItem], secrets: [Secret?]) {
    let items = try items(matching: .all)
    return (items, try items.map(secret))
  }
}

extension ConformanceRun {
  func run(_ check: SecretStoreConformance.Check) async throws {
    switch check {
    case .emptyStoreHasNoItems: try emptyStoreHasNoItems()
    case .addedItemIsFound: try addedItemIsFound()
    case .identitiesAreUnique: try identitiesAreUnique()
    case .searchesFindMatchingItems: try searchesFindMatchingItems()
    case .secretsRoundTrip: try secretsRoundTrip()
    case .oversizedSecretIsRejected: try oversizedSecretIsRejected()
    case .unusualStringsRoundTrip: try unusualStringsRoundTrip()
    case .longStringsRoundTripOrAreRejected: try longStringsRoundTripOrAreRejected()
    case .accessibilitiesRoundTripOrAreRejected: try accessibilitiesRoundTripOrAreRejected()
    case .guaranteesAreStable: try guaranteesAreStable()
    case .accessFlagsAreEnforcedOrRejected: try accessFlagsAreEnforcedOrRejected()
    case .proofsAreRequired: try await proofsAreRequired()
    case .applicationPasswordIsRequired: try await applicationPasswordIsRequired()
    case .updatesChangeOnlyWhatIsGiven: try updatesChangeOnlyWhatIsGiven()
    case .staleWritesConflict: try staleWritesConflict()
    case .removedItemIsGone: try removedItemIsGone()
    case .storeRevisionChangesWithEachWrite: try storeRevisionChangesWithEachWrite()
    case .readingReturnsRevisions: try readingReturnsRevisions()
    case .otherInstanceSeesWrites: try otherInstanceSeesWrites()
    case .observersAreNotified: try await observersAreNotified()
    case .releasedObserversAreNotNotified: try await releasedObserversAreNotNotified()
    case .handlersRunOutsideWrites: try handlersRunOutsideWrites()
    case .concurrentAddsSucceedOnce: try await concurrentAddsSucceedOnce()
    case .concurrentUpdatesAreNotLost: try await concurrentUpdatesAreNotLost()
    }
  }
}
