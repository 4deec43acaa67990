import Concurrency
import SecretStorage
import Synchronization

/// One run of a conformance check against one store.
struct Trial: Sendable {
  let store: any SecretStore
  /// Another instance over the same content, or the same one.
  let another: any SecretStore
  let largestSecret: Int
  let patience: Duration
  let title: String
  /// The violations so far, a sentence each.
  let findings = Lock<[String]>([])

  func expect(_ holds: Bool, _ operation: String, _ expectation: String) {
    if holds { return }
    findings.withLock { $0.append("\(title): \(operation): expected \(expectation)") }
  }

  /// Expects an operation to throw this error.
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

  /// Runs a write; a refusal must have the right error and change nothing.
  ///
  /// - Returns: The written item, or nil if it was refused.
  func expectHonest(
    _ operation: String, _ write: @autoclosure () throws(SecretStoreError) -> SecretItem
  ) throws(SecretStoreError) -> SecretItem? {
    let before = try content()
    do throws(SecretStoreError) {
      return try write()
    } catch {
      switch error {
      case .unsupported, .invalid: break
      default: expect(false, operation, "a refusal as unsupported or invalid, not \(error)")
      }
      expect(try content() == before, operation, "that a refusal changes nothing")
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

  func secret(of item: SecretItem) throws(SecretStoreError) -> Secret? {
    try store.secret(of: item.id)?.secret
  }

  func found(_ query: ItemQuery) throws(SecretStoreError) -> [SecretItem] {
    try store.items(matching: query)
  }

  /// Returns all items and their secrets.
  func content() throws(SecretStoreError) -> [Content] {
    try found(.all).map { item throws(SecretStoreError) in
      Content(item: item, secret: try secret(of: item))
    }
  }

  struct Content: Equatable {
    let item: SecretItem
    let secret: Secret?
  }
}

extension Trial {
  func run(_ check: SecretStoreConformance.Check) async throws {
    switch check {
    case .emptyStoreHasNothing: try emptyStoreHasNothing()
    case .absentSecretIsNil: try absentSecretIsNil()
    case .addedItemIsFound: try addedItemIsFound()
    case .identitiesAreUnique: try identitiesAreUnique()
    case .classesAreApart: try classesAreApart()
    case .everyIdentityPartDistinguishes: try everyIdentityPartDistinguishes()
    case .leftOutPartMatchesAnything: try leftOutPartMatchesAnything()
    case .absentPartIsAValue: try absentPartIsAValue()
    case .searchesAreOldestFirst: try searchesAreOldestFirst()
    case .equivalentSpellingsAreOneName: try equivalentSpellingsAreOneName()
    case .unusualNamesComeBack: try unusualNamesComeBack()
    case .emptyNameIsNotAbsent: try emptyNameIsNotAbsent()
    case .longTextsAreKeptOrRefused: try longTextsAreKeptOrRefused()
    case .secretsComeBackExactly: try secretsComeBackExactly()
    case .largestSecretComesBack: try largestSecretComesBack()
    case .largerSecretIsRefused: try largerSecretIsRefused()
    case .attributesComeBack: try attributesComeBack()
    case .nilClearsAnAttribute: try nilClearsAnAttribute()
    case .accessibilitiesAreKeptOrRefused: try accessibilitiesAreKeptOrRefused()
    case .accessFlagsAreCheckedOrRefused: try accessFlagsAreCheckedOrRefused()
    case .unauthorizedReadIsDenied: try await unauthorizedReadIsDenied()
    case .authorizedReadGivesTheSecret: try await authorizedReadGivesTheSecret()
    case .insufficientProofIsDenied: try await insufficientProofIsDenied()
    case .applicationPasswordIsRequired: try await applicationPasswordIsRequired()
    case .guaranteesAreStable: try guaranteesAreStable()
    case .attributeUpdateKeepsSecret: try attributeUpdateKeepsSecret()
    case .secretUpdateKeepsAttributes: try secretUpdateKeepsAttributes()
    case .updateChangesBoth: try updateChangesBoth()
    case .updateKeepsNameAndIdentity: try updateKeepsNameAndIdentity()
    case .refusedUpdateChangesNothing: try refusedUpdateChangesNothing()
    case .datesFollowWrites: try datesFollowWrites()
    case .staleUpdateConflicts: try staleUpdateConflicts()
    case .staleRemovalConflicts: try staleRemovalConflicts()
    case .updateOfRemovedItemConflicts: try updateOfRemovedItemConflicts()
    case .removedItemIsGone: try removedItemIsGone()
    case .removingAbsentItemSucceeds: try removingAbsentItemSucceeds()
    case .identityIsFreeAfterRemoval: try identityIsFreeAfterRemoval()
    case .itemRevisionChangesWithEachWrite: try itemRevisionChangesWithEachWrite()
    case .storeRevisionChangesWithEachWrite: try storeRevisionChangesWithEachWrite()
    case .storeRevisionStaysThroughReads: try storeRevisionStaysThroughReads()
    case .readingTellsRevisions: try readingTellsRevisions()
    case .anotherInstanceSeesWrites: try anotherInstanceSeesWrites()
    case .observersHearWrites: try await observersHearWrites()
    case .observersHearAnotherInstance: try await observersHearAnotherInstance()
    case .releasedObserversHearNothing: try await releasedObserversHearNothing()
    case .observersRunElsewhere: try observersRunElsewhere()
    case .concurrentAddsHaveOneWinner: try await concurrentAddsHaveOneWinner()
    case .concurrentUpdatesLoseNothing: try await concurrentUpdatesLoseNothing()
    }
  }
}

/// An authenticator that gives some proofs and counts the questions.
final class Person: Authenticator {
  let capabilities: AuthenticationProofs
  private let count = Atomic(0)

  init(proving capabilities: AuthenticationProofs) {
    self.capabilities = capabilities
  }

  var questions: Int { count.load(ordering: .sequentiallyConsistent) }
  var enrolledSet: [UInt8]? { nil }

  func authenticate(
    _ request: AuthenticationRequest
  ) async throws(SecretStoreError) -> AuthenticationProofs {
    count.add(1, ordering: .sequentiallyConsistent)
    return request.accepted.intersection(capabilities)
  }
}
