import StorageTesting

/// A violation of the `KeyValueBackend` contract.
enum BackendViolation: CaseIterable, Sendable {
  /// It loses keys, values, parts of values or updates.
  case losesOneOfTwoKeys, truncatesValues, normalizesKeys, ignoresRemovals, removesNeighbors,
    losesConcurrentUpdates
  /// It changes the order of updates.
  case appliesUpdatesInReverse
  /// It has keys that were never written.
  case startsWithKey, inventsKey
  /// It answers with an older content.
  case loadsPreviousContents, updatesPreviousContents, returnsPreviousContents,
    doesNotShareContents, neverReportsChanges, reusesRevisions
  /// It returns before a change is durable.
  case writesAtNextCall
  /// It hides errors, or answers with an empty content instead.
  case swallowsErrors, writesDespiteErrors, hidesDamage, overwritesDamage, keepsDamage
  /// It writes or moves what it must not.
  case rewritesForEmptyUpdates, movesReadableContents
  /// It notifies observers never, late, too early, twice, without a change, or after their end.
  case neverNotifies, notifiesOwnWritesOnly, notifiesAtNextCall, notifiesTwice,
    notifiesBeforeChanges, notifiesOfEmptyUpdates, notifiesAfterRelease

  /// The check that must detect the violation.
  var check: KeyValueBackendConformance.Check {
    switch self {
    case .truncatesValues: .valuesRoundTrip
    case .normalizesKeys: .unusualKeysRoundTrip
    case .startsWithKey, .losesOneOfTwoKeys, .appliesUpdatesInReverse, .inventsKey,
      .loadsPreviousContents, .updatesPreviousContents, .returnsPreviousContents,
      .doesNotShareContents:
      .updatesApplyInOrder
    case .ignoresRemovals, .removesNeighbors: .removedKeysAreGone
    case .neverReportsChanges, .reusesRevisions: .revisionsTellChanges
    case .rewritesForEmptyUpdates, .notifiesOfEmptyUpdates: .emptyUpdateWritesNothing
    case .swallowsErrors, .writesDespiteErrors: .errorsArePassedOn
    case .writesAtNextCall: .updatesAreDurable
    case .losesConcurrentUpdates: .concurrentUpdatesAreNotLost
    case .hidesDamage, .overwritesDamage, .keepsDamage, .movesReadableContents:
      .onlyUnreadableContentsAreMovedAside
    case .neverNotifies, .notifiesOwnWritesOnly, .notifiesAtNextCall: .observersAreNotified
    case .notifiesBeforeChanges: .notificationsFollowChanges
    case .notifiesTwice: .changesAreNotifiedOnce
    case .notifiesAfterRelease: .releasedObserversAreNotNotified
    }
  }

  /// The operation whose notification the check awaits until its timeout; nil if none is missing.
  var operationWithoutNotification: String? {
    switch self {
    case .neverNotifies, .notifiesAtNextCall: "observe, a new key"
    case .notifiesOwnWritesOnly: "observe, a new key by another instance"
    case .notifiesBeforeChanges: "load() in a handler of observe"
    default: nil
    }
  }
}
