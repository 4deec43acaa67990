import StorageTesting

/// A violation of the `SecretStore` contract, and the check that must detect it.
///
/// The raw value is the name of the check, unless another violation has it.
enum ContractViolation: String, CaseIterable, Sendable {
  case startsWithItem = "emptyStoreHasNoItems"
  case returnsEmptySecretForMissingItem = "missingSecretIsNil"
  case returnsNoSecrets = "addedItemIsFound"
  case overwritesDuplicate = "identitiesAreUnique"
  case acceptsDuplicate = "concurrentAddsSucceedOnce"
  case ignoresClass = "classesAreSeparate"
  case ignoresProtocol = "everyIdentityPartDistinguishes"
  case matchesWholeIdentityOnly = "omittedPartMatchesAnyValue"
  case treatsAbsentPartAsWildcard = "exactQueryRequiresAbsentParts"
  case returnsNewestFirst = "resultsAreOldestFirst"
  case distinguishesEquivalentStrings = "equivalentStringsIdentifyOneItem"
  case truncatesServiceAtNewline = "unusualStringsRoundTrip"
  case treatsEmptyAsAbsent = "emptyStringIsNotNil"
  case truncatesLongStrings = "longStringsRoundTripOrAreRejected"
  case truncatesSecretsAtNUL = "secretsRoundTrip"
  case rejectsLargeSecrets = "largestSecretRoundTrips"
  case truncatesOversizedSecrets = "oversizedSecretIsRejected"
  case dropsComment = "attributesRoundTrip"
  case retainsClearedLabel = "nilClearsAttribute"
  case dropsAccessibility = "accessibilitiesRoundTripOrAreRejected"
  case ignoresAccessFlags = "accessFlagsAreEnforcedOrRejected"
  case storesUnenforceableFlags
  case readsWithoutProof = "unauthorizedReadIsDenied"
  case deniesDespiteProof = "authorizedReadReturnsSecret"
  case acceptsAnyProof = "insufficientProofIsDenied"
  case ignoresApplicationPassword = "applicationPasswordIsRequired"
  case changesGuarantees = "guaranteesAreStable"
  case attributeUpdateClearsSecret = "attributeUpdateKeepsSecret"
  case secretUpdateClearsAttributes = "secretUpdateKeepsAttributes"
  case losesEverySecondUpdate = "updateChangesBoth"
  case changesIDOnUpdate = "updateKeepsIDAndIdentity"
  case rejectsAfterChange = "rejectedUpdateChangesNothing"
  case changesCreationDateOnUpdate = "datesAreConsistent"
  case ignoresExpectedRevisionOfUpdate = "staleUpdateConflicts"
  case ignoresExpectedRevisionOfRemoval = "staleRemovalConflicts"
  case updateRestoresRemovedItem = "updateOfRemovedItemConflicts"
  case ignoresRemovals = "removedItemIsGone"
  case removalOfMissingItemFails = "removingAbsentItemSucceeds"
  case reservesRemovedIdentity = "removedIdentityCanBeAddedAgain"
  case neverChangesItemRevision = "itemRevisionChangesWithEachWrite"
  case neverChangesStoreRevision = "storeRevisionChangesWithEachWrite"
  case changesRevisionOnRead = "readsKeepStoreRevision"
  case returnsOldStoreRevision = "readingReturnsRevisions"
  case doesNotShareItems = "otherInstanceSeesWrites"
  case neverNotifies = "observersAreNotifiedOfWrites"
  case notifiesOwnWritesOnly = "observersAreNotifiedOfOtherInstance"
  case notifiesAfterRelease = "releasedObserversAreNotNotified"
  case notifiesInsideWrites = "handlersRunOutsideWrites"
  case losesConcurrentUpdates = "concurrentUpdatesAreNotLost"

  var check: SecretStoreConformance.Check {
    SecretStoreConformance.Check(rawValue: rawValue) ?? .accessFlagsAreEnforcedOrRejected
  }

  /// Whether the violation concerns proofs, which only some stores check.
  var concernsProofs: Bool {
    switch self {
    case .storesUnenforceableFlags, .readsWithoutProof, .deniesDespiteProof, .acceptsAnyProof,
      .ignoresApplicationPassword:
      true
    default: false
    }
  }
}
