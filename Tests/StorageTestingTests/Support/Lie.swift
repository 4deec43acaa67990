import StorageTesting

/// A violation of the `SecretStore` contract, and the check that must detect it.
enum Lie: String, CaseIterable, Sendable {
  case isBornWithAnItem, givesEmptySecretForAbsent, hidesSecrets, overwritesDuplicate
  case answersDuplicateWithSuccess, mixesClasses, ignoresProtocol, matchesOnlyCompletely
  case takesAbsentPartForAnything, findsNewestFirst, tellsSpellingsApart, cutsNamesAtNewline
  case takesEmptyForAbsent, cutsLongTexts

  case cutsSecretsAtNUL, refusesLargeSecrets, cutsLargerSecrets, dropsComment, keepsClearedLabel
  case forgetsAccessibility, ignoresAccessFlags, changesGuarantees
  case keepsWhatNobodyChecks, readsWithoutProof, deniesDespiteProof, takesAnyProof
  case ignoresApplicationPassword

  case attributeUpdateClearsSecret, secretUpdateClearsAttributes, losesEverySecondUpdate
  case renamesOnUpdate, refusesAfterChanging, rejuvenatesOnUpdate
  case ignoresExpectedRevisionOfUpdate, ignoresExpectedRevisionOfRemoval, updateRevivesRemoved
  case ignoresRemovals, removalOfAbsentFails, reservesIdentityOfRemoved

  case neverChangesItemRevision, neverChangesStoreRevision, countsReadsAsChanges
  case readsWithOldStoreRevision, anotherInstanceHasItsOwnItems

  case neverNotifies, notifiesOwnWritesOnly, notifiesAfterRelease, notifiesInsideOfWrites
  case concurrentUpdatesGetLost

  var check: SecretStoreConformance.Check {
    switch self {
    case .isBornWithAnItem: .emptyStoreHasNoItems
    case .givesEmptySecretForAbsent: .missingSecretIsNil
    case .hidesSecrets: .addedItemIsFound
    case .overwritesDuplicate: .identitiesAreUnique
    case .answersDuplicateWithSuccess: .concurrentAddsSucceedOnce
    case .mixesClasses: .classesAreSeparate
    case .ignoresProtocol: .everyIdentityPartDistinguishes
    case .matchesOnlyCompletely: .omittedPartMatchesAnyValue
    case .takesAbsentPartForAnything: .exactQueryRequiresAbsentParts
    case .findsNewestFirst: .resultsAreOldestFirst
    case .tellsSpellingsApart: .equivalentStringsIdentifyOneItem
    case .cutsNamesAtNewline: .unusualStringsRoundTrip
    case .takesEmptyForAbsent: .emptyStringIsNotNil
    case .cutsLongTexts: .longStringsRoundTripOrAreRejected
    case .cutsSecretsAtNUL: .secretsRoundTrip
    case .refusesLargeSecrets: .largestSecretRoundTrips
    case .cutsLargerSecrets: .oversizedSecretIsRejected
    case .dropsComment: .attributesRoundTrip
    case .keepsClearedLabel: .nilClearsAttribute
    case .forgetsAccessibility: .accessibilitiesRoundTripOrAreRejected
    case .ignoresAccessFlags, .keepsWhatNobodyChecks: .accessFlagsAreEnforcedOrRejected
    case .readsWithoutProof: .unauthorizedReadIsDenied
    case .deniesDespiteProof: .authorizedReadReturnsSecret
    case .takesAnyProof: .insufficientProofIsDenied
    case .ignoresApplicationPassword: .applicationPasswordIsRequired
    case .changesGuarantees: .guaranteesAreStable
    case .attributeUpdateClearsSecret: .attributeUpdateKeepsSecret
    case .secretUpdateClearsAttributes: .secretUpdateKeepsAttributes
    case .losesEverySecondUpdate: .updateChangesBoth
    case .renamesOnUpdate: .updateKeepsIDAndIdentity
    case .refusesAfterChanging: .rejectedUpdateChangesNothing
    case .rejuvenatesOnUpdate: .datesAreConsistent
    case .ignoresExpectedRevisionOfUpdate: .staleUpdateConflicts
    case .ignoresExpectedRevisionOfRemoval: .staleRemovalConflicts
    case .updateRevivesRemoved: .updateOfRemovedItemConflicts
    case .ignoresRemovals: .removedItemIsGone
    case .removalOfAbsentFails: .removingAbsentItemSucceeds
    case .reservesIdentityOfRemoved: .removedIdentityCanBeAddedAgain
    case .neverChangesItemRevision: .itemRevisionChangesWithEachWrite
    case .neverChangesStoreRevision: .storeRevisionChangesWithEachWrite
    case .countsReadsAsChanges: .readsKeepStoreRevision
    case .readsWithOldStoreRevision: .readingReturnsRevisions
    case .anotherInstanceHasItsOwnItems: .otherInstanceSeesWrites
    case .neverNotifies: .observersAreNotifiedOfWrites
    case .notifiesOwnWritesOnly: .observersAreNotifiedOfOtherInstance
    case .notifiesAfterRelease: .releasedObserversAreNotNotified
    case .notifiesInsideOfWrites: .handlersRunOutsideWrites
    case .concurrentUpdatesGetLost: .concurrentUpdatesAreNotLost
    }
  }

  /// Whether it concerns proofs, which only some stores check.
  var isAboutProofs: Bool {
    switch self {
    case .keepsWhatNobodyChecks, .readsWithoutProof, .deniesDespiteProof, .takesAnyProof,
      .ignoresApplicationPassword:
      true
    default: false
    }
  }
}
