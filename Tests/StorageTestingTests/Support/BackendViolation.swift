import StorageTesting

/// A violation of the `KeyValueBackend` contract, and the check that must detect it.
enum BackendViolation: String, CaseIterable, Sendable {
  case startsWithAKey, losesUpdates, losesOtherKeys, trimsValues, trimsKeys, normalizesKeys
  case losesKeysOverAThousand, writesWithoutChanges

  case computesFromStaleContents, reordersUpdates, answersFromItsCache, claimsDurability
  case hidesChanges, forgetsRemovals, skipsChanges
  case reusesRevisions, readsGoBack, losesConcurrentUpdates

  case neverNotifies, notifiesLate, notifiesOfOwnChangesOnly, notifiesTwice, notifiesTwiceOrNever
  case notifiesBeforeTheChange, notifiesInsideUpdates, notifiesAfterRelease, inventsOldValues

  case answersEmptyWhenInterrupted, claimsToWriteWhenInterrupted, writesAndThrows
  case answersEmptyWhenDamaged, overwritesDamage, movesReadableContents, leavesDamage

  var check: KeyValueBackendConformance.Check {
    switch self {
    case .startsWithAKey: .newStorageIsEmpty
    case .losesUpdates: .updatesAreStored
    case .losesOtherKeys: .otherKeysAreKept
    case .trimsValues: .valuesKeepTheirBytes
    case .trimsKeys: .keysKeepTheirBytes
    case .normalizesKeys: .equivalentKeysAreSeparate
    case .losesKeysOverAThousand: .manyKeysAreKept
    case .writesWithoutChanges: .updateWithoutChangesWritesNothing
    case .computesFromStaleContents: .updatesBeginWithTheNewestContents
    case .reordersUpdates: .updatesApplyInOrder
    case .answersFromItsCache: .otherBackendSeesUpdates
    case .claimsDurability: .updatesSurviveACrash
    case .hidesChanges: .changesAreDetected
    case .forgetsRemovals, .skipsChanges: .updatedContentsAreTheNewest
    case .reusesRevisions: .revisionsIncrease
    case .readsGoBack: .readsNeverGoBack
    case .losesConcurrentUpdates: .concurrentUpdatesAreNotLost
    case .neverNotifies, .notifiesLate, .notifiesTwiceOrNever: .observersAreNotified
    case .notifiesOfOwnChangesOnly: .observersAreNotifiedOfOtherBackend
    case .notifiesTwice: .observersAreNotifiedOnce
    case .notifiesBeforeTheChange: .handlersSeeTheChange
    case .notifiesInsideUpdates: .handlersRunOutsideCalls
    case .notifiesAfterRelease: .releasedObserversAreNotNotified
    case .inventsOldValues: .storeReportsEachChangeOnce
    case .answersEmptyWhenInterrupted, .claimsToWriteWhenInterrupted, .writesAndThrows:
      .interruptionIsThrown
    case .answersEmptyWhenDamaged, .overwritesDamage: .damageIsThrown
    case .movesReadableContents: .readableContentsStay
    case .leavesDamage: .damagedContentsAreMovedAside
    }
  }

  /// A part of the finding that must be there.
  var finding: String {
    switch self {
    case .forgetsRemovals: "load(updating:) of the previous contents after change 1: expected"
    case .skipsChanges: "load(updating:) of the oldest contents after change 1: expected"
    case .neverNotifies, .notifiesLate: "observe, a new key: expected a call to the handler"
    case .notifiesTwiceOrNever: "observe, a removal: expected a call to the handler"
    case .notifiesOfOwnChangesOnly:
      "observe, update through another backend: expected a call to the handler"
    case .notifiesTwice: "expected at most 20 calls of the handler for 20 changes, but got"
    case .notifiesBeforeTheChange: "expected a call to the handler in which load returns the change"
    case .notifiesInsideUpdates: "observe, update: expected the handler to run outside of the call"
    case .notifiesAfterRelease: "observe: expected no call after the observation was released"
    case .inventsOldValues: "expected one report of each value, but got"
    default: ""
    }
  }
}
