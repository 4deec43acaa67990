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
    case .isBornWithAnItem: .emptyStoreHasNothing
    case .givesEmptySecretForAbsent: .absentSecretIsNil
    case .hidesSecrets: .addedItemIsFound
    case .overwritesDuplicate: .identitiesAreUnique
    case .answersDuplicateWithSuccess: .concurrentAddsHaveOneWinner
    case .mixesClasses: .classesAreApart
    case .ignoresProtocol: .everyIdentityPartDistinguishes
    case .matchesOnlyCompletely: .leftOutPartMatchesAnything
    case .takesAbsentPartForAnything: .absentPartIsAValue
    case .findsNewestFirst: .searchesAreOldestFirst
    case .tellsSpellingsApart: .equivalentSpellingsAreOneName
    case .cutsNamesAtNewline: .unusualNamesComeBack
    case .takesEmptyForAbsent: .emptyNameIsNotAbsent
    case .cutsLongTexts: .longTextsAreKeptOrRefused
    case .cutsSecretsAtNUL: .secretsComeBackExactly
    case .refusesLargeSecrets: .largestSecretComesBack
    case .cutsLargerSecrets: .largerSecretIsRefused
    case .dropsComment: .attributesComeBack
    case .keepsClearedLabel: .nilClearsAnAttribute
    case .forgetsAccessibility: .accessibilitiesAreKeptOrRefused
    case .ignoresAccessFlags, .keepsWhatNobodyChecks: .accessFlagsAreCheckedOrRefused
    case .readsWithoutProof: .unauthorizedReadIsDenied
    case .deniesDespiteProof: .authorizedReadGivesTheSecret
    case .takesAnyProof: .insufficientProofIsDenied
    case .ignoresApplicationPassword: .applicationPasswordIsRequired
    case .changesGuarantees: .guaranteesAreStable
    case .attributeUpdateClearsSecret: .attributeUpdateKeepsSecret
    case .secretUpdateClearsAttributes: .secretUpdateKeepsAttributes
    case .losesEverySecondUpdate: .updateChangesBoth
    case .renamesOnUpdate: .updateKeepsNameAndIdentity
    case .refusesAfterChanging: .refusedUpdateChangesNothing
    case .rejuvenatesOnUpdate: .datesFollowWrites
    case .ignoresExpectedRevisionOfUpdate: .staleUpdateConflicts
    case .ignoresExpectedRevisionOfRemoval: .staleRemovalConflicts
    case .updateRevivesRemoved: .updateOfRemovedItemConflicts
    case .ignoresRemovals: .removedItemIsGone
    case .removalOfAbsentFails: .removingAbsentItemSucceeds
    case .reservesIdentityOfRemoved: .identityIsFreeAfterRemoval
    case .neverChangesItemRevision: .itemRevisionChangesWithEachWrite
    case .neverChangesStoreRevision: .storeRevisionChangesWithEachWrite
    case .countsReadsAsChanges: .storeRevisionStaysThroughReads
    case .readsWithOldStoreRevision: .readingTellsRevisions
    case .anotherInstanceHasItsOwnItems: .anotherInstanceSeesWrites
    case .neverNotifies: .observersHearWrites
    case .notifiesOwnWritesOnly: .observersHearAnotherInstance
    case .notifiesAfterRelease: .releasedObserversHearNothing
    case .notifiesInsideOfWrites: .observersRunElsewhere
    case .concurrentUpdatesGetLost: .concurrentUpdatesLoseNothing
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
