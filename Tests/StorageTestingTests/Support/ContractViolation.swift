import StorageTesting

/// A violation of the `SecretStore` contract.
enum ContractViolation: CaseIterable, Sendable {
  case startsWithItem, returnsNoSecrets, overwritesDuplicate, acceptsDuplicate,
    truncatesServiceAtNewline, truncatesLongStrings, dropsAccessibility, ignoresApplicationPassword,
    changesGuarantees, doesNotShareItems, notifiesAfterRelease, notifiesInsideWrites,
    losesConcurrentUpdates
  case ignoresClass, ignoresProtocol, matchesWholeIdentityOnly, treatsAbsentPartAsWildcard,
    returnsNewestFirst, distinguishesEquivalentStrings, treatsEmptyAsAbsent
  case truncatesSecretsAtNUL, rejectsLargeSecrets, truncatesOversizedSecrets, rejectsAfterChange
  case ignoresAccessFlags, storesUnenforceableFlags
  case readsWithoutProof, deniesDespiteProof, acceptsAnyProof
  case dropsComment, retainsClearedLabel, attributeUpdateClearsSecret, secretUpdateClearsAttributes,
    losesEverySecondUpdate, changesIDOnUpdate, changesCreationDateOnUpdate, neverChangesItemRevision
  case ignoresExpectedRevisionOfUpdate, ignoresExpectedRevisionOfRemoval, updateRestoresRemovedItem
  case returnsEmptySecretForMissingItem, ignoresRemovals, removalOfMissingItemFails,
    reservesRemovedIdentity
  case neverChangesStoreRevision, changesRevisionOnRead, returnsOldStoreRevision
  case neverNotifies, notifiesOwnWritesOnly

  /// The check that must detect the violation.
  var check: SecretStoreConformance.Check {
    switch self {
    case .startsWithItem: .emptyStoreHasNoItems
    case .returnsNoSecrets: .addedItemIsFound
    case .overwritesDuplicate: .identitiesAreUnique
    case .acceptsDuplicate: .concurrentAddsSucceedOnce
    case .truncatesServiceAtNewline: .unusualStringsRoundTrip
    case .truncatesLongStrings: .longStringsRoundTripOrAreRejected
    case .dropsAccessibility: .accessibilitiesRoundTripOrAreRejected
    case .ignoresApplicationPassword: .applicationPasswordIsRequired
    case .changesGuarantees: .guaranteesAreStable
    case .doesNotShareItems: .otherInstanceSeesWrites
    case .notifiesAfterRelease: .releasedObserversAreNotNotified
    case .notifiesInsideWrites: .handlersRunOutsideWrites
    case .losesConcurrentUpdates: .concurrentUpdatesAreNotLost
    case .ignoresClass, .ignoresProtocol, .matchesWholeIdentityOnly, .treatsAbsentPartAsWildcard,
      .returnsNewestFirst, .distinguishesEquivalentStrings, .treatsEmptyAsAbsent:
      .searchesFindMatchingItems
    case .truncatesSecretsAtNUL, .rejectsLargeSecrets: .secretsRoundTrip
    case .truncatesOversizedSecrets, .rejectsAfterChange: .oversizedSecretIsRejected
    case .ignoresAccessFlags, .storesUnenforceableFlags: .accessFlagsAreEnforcedOrRejected
    case .readsWithoutProof, .deniesDespiteProof, .acceptsAnyProof: .proofsAreRequired
    case .dropsComment, .retainsClearedLabel, .attributeUpdateClearsSecret,
      .secretUpdateClearsAttributes, .losesEverySecondUpdate, .changesIDOnUpdate,
      .changesCreationDateOnUpdate, .neverChangesItemRevision:
      .updatesChangeOnlyWhatIsGiven
    case .ignoresExpectedRevisionOfUpdate, .ignoresExpectedRevisionOfRemoval,
      .updateRestoresRemovedItem:
      .staleWritesConflict
    case .returnsEmptySecretForMissingItem, .ignoresRemovals, .removalOfMissingItemFails,
      .reservesRemovedIdentity:
      .removedItemIsGone
    case .neverChangesStoreRevision, .changesRevisionOnRead: .storeRevisionChangesWithEachWrite
    case .returnsOldStoreRevision: .readingReturnsRevisions
    case .neverNotifies, .notifiesOwnWritesOnly: .observersAreNotified
    }
  }

  /// Whether the violation concerns proofs, which only some stores check.
  var concernsProofs: Bool {
    self == .storesUnenforceableFlags || check == .proofsAreRequired
      || check == .applicationPasswordIsRequired
  }
}
