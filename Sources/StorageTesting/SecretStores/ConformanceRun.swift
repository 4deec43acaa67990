import Concurrency
import SecretStorage
import Synchronization

/// One run of a conformance check against one store.
struct ConformanceRun: Sendable {
  let store: any SecretStore
  /// Another instance with the same content, or `store` itself.
  let otherInstance: any SecretStore
  let largestSecret: Int
  let timeout: Duration
  let title: String
  /// The violations found so far, one sentence each.
  let findings = Lock<[String]>([])

  /// Records a violation unless a condition holds.
  func expect(_ holds: Bool, _ operation: String, _ expectation: String) {
    if holds { return }
    findings.withLock { $0.append("\(title): \(operation): expected \(expectation)") }
  }

  /// Expects an operation to throw a particular error.
  func expect<Result>(
    _ expected: SecretStoreError, _ operation: String,
    _ body: @autoclosure () throws(SecretStoreError) -> Result
  ) {
    do throws(SecretStoreError) {
      _ = try body()
      expect(false, operation, "the error \(expected), not a success")
    } catch {
      expect(error == expected, operation, "the error \(expected), not \(error)")
    }
  }

  /// Expects a search to return exactly these items.
  func expectItems(
    _ expected: [SecretItem], matching query: ItemQuery, _ expectation: String
  ) throws(SecretStoreError) {
    expect(try found(query) == expected, "items(matching:)", expectation)
  }

  /// Expects an item to have the secret with a text, or no secret if the text is nil.
  func expectSecret(
    _ text: String?, of item: SecretItem, _ operation: String, _ expectation: String
  ) throws(SecretStoreError) {
    expect(try secret(of: item) == text.map { Secret($0.utf8) }, operation, expectation)
  }

  /// Runs a write that the store may reject, with the right error and without a change.
  ///
  /// - Returns: The written item, or nil if it was rejected.
  func acceptedItem(
    _ operation: String, _ write: @autoclosure () throws(SecretStoreError) -> SecretItem
  ) throws(SecretStoreError) -> SecretItem? {
    let before = try content()
    do throws(SecretStoreError) {
      return try write()
    } catch {
      switch error {
      case .unsupported, .invalid: break
      default: expect(false, operation, "the error unsupported or invalid, not \(error)")
      }
      expect(try content() == before, operation, "no change by a rejected write")
      return nil
    }
  }

  @discardableResult
  func add(
    _ identity: ItemIdentity, _ text: String = "secret",
    attributes: ItemAttributes = ItemAttributes()
  ) throws(SecretStoreError) -> SecretItem {
    try store.add(Secret(text.utf8), identity: identity, attributes: attributes)
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

  func found(_ query: ItemQuery) throws(SecretStoreError) -> [SecretItem] {
    try store.items(matching: query)
  }

  /// Returns all items, and their secrets in the same order.
  func content() throws(SecretStoreError) -> (items: [SecretItem], secrets: [Secret?]) {
    let items = try found(.all)
    return (items, try items.map(secret))
  }
}

extension ConformanceRun {
  /// Runs the check of a rule.
  func run(_ check: SecretStoreConformance.Check) async throws {
    switch check {
    case .emptyStoreHasNoItems: try emptyStoreHasNoItems()
    case .missingSecretIsNil: try missingSecretIsNil()
    case .addedItemIsFound: try addedItemIsFound()
    case .identitiesAreUnique: try identitiesAreUnique()
    case .classesAreSeparate: try classesAreSeparate()
    case .everyIdentityPartDistinguishes: try everyIdentityPartDistinguishes()
    case .omittedPartMatchesAnyValue: try omittedPartMatchesAnyValue()
    case .exactQueryRequiresAbsentParts: try exactQueryRequiresAbsentParts()
    case .resultsAreOldestFirst: try resultsAreOldestFirst()
    case .equivalentTextsNameOneItem: try equivalentTextsNameOneItem()
    case .unusualTextsRoundTrip: try unusualTextsRoundTrip()
    case .emptyTextIsNotNil: try emptyTextIsNotNil()
    case .longTextsRoundTripOrAreRejected: try longTextsRoundTripOrAreRejected()
    case .secretsRoundTrip: try secretsRoundTrip()
    case .largestSecretRoundTrips: try largestSecretRoundTrips()
    case .oversizedSecretIsRejected: try oversizedSecretIsRejected()
    case .attributesRoundTrip: try attributesRoundTrip()
    case .nilClearsAttribute: try nilClearsAttribute()
    case .accessibilitiesRoundTripOrAreRejected: try accessibilitiesRoundTripOrAreRejected()
    case .accessFlagsAreEnforcedOrRejected: try accessFlagsAreEnforcedOrRejected()
    case .unauthorizedReadIsDenied: try await unauthorizedReadIsDenied()
    case .authorizedReadReturnsSecret: try await authorizedReadReturnsSecret()
    case .insufficientProofIsDenied: try await insufficientProofIsDenied()
    case .applicationPasswordIsRequired: try await applicationPasswordIsRequired()
    case .guaranteesAreStable: try guaranteesAreStable()
    case .attributeUpdateKeepsSecret: try attributeUpdateKeepsSecret()
    case .secretUpdateKeepsAttributes: try secretUpdateKeepsAttributes()
    case .updateChangesBoth: try updateChangesBoth()
    case .updateKeepsIDAndIdentity: try updateKeepsIDAndIdentity()
    case .rejectedUpdateChangesNothing: try rejectedUpdateChangesNothing()
    case .datesAreConsistent: try datesAreConsistent()
    case .staleUpdateConflicts: try staleUpdateConflicts()
    case .staleRemovalConflicts: try staleRemovalConflicts()
    case .updateOfRemovedItemConflicts: try updateOfRemovedItemConflicts()
    case .removedItemIsGone: try removedItemIsGone()
    case .removingAbsentItemSucceeds: try removingAbsentItemSucceeds()
    case .removedIdentityCanBeAddedAgain: try removedIdentityCanBeAddedAgain()
    case .itemRevisionChangesWithEachWrite: try itemRevisionChangesWithEachWrite()
    case .storeRevisionChangesWithEachWrite: try storeRevisionChangesWithEachWrite()
    case .readsKeepStoreRevision: try readsKeepStoreRevision()
    case .readingReturnsRevisions: try readingReturnsRevisions()
    case .otherInstanceSeesWrites: try otherInstanceSeesWrites()
    case .observersAreNotifiedOfWrites: try await observersAreNotifiedOfWrites()
    case .observersAreNotifiedOfOtherInstance: try await observersAreNotifiedOfOtherInstance()
    case .releasedObserversAreNotNotified: try await releasedObserversAreNotNotified()
    case .handlersRunOutsideWrites: try handlersRunOutsideWrites()
    case .concurrentAddsSucceedOnce: try await concurrentAddsSucceedOnce()
    case .concurrentUpdatesAreNotLost: try await concurrentUpdatesAreNotLost()
    }
  }
}

/// An authenticator that always succeeds with fixed proofs and counts its requests.
final class CountingAuthenticator: Authenticator {
  let capabilities: AuthenticationProofs
  private let count = Atomic(0)

  init(proving capabilities: AuthenticationProofs) { self.capabilities = capabilities }

  var requestCount: Int { count.load(ordering: .sequentiallyConsistent) }
  var enrolledSet: [UInt8]? { nil }

  func authenticate(
    _ request: AuthenticationRequest
  ) async throws(SecretStoreError) -> AuthenticationProofs {
    count.add(1, ordering: .sequentiallyConsistent)
    return request.accepted.intersection(capabilities)
  }
}
