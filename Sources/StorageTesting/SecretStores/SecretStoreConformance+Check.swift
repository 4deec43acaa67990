// The list of all checks.
extension SecretStoreConformance {
  /// One rule of the `SecretStore` contract.
  public enum Check: String, CaseIterable, Sendable {
    /// A new store has no items.
    case emptyStoreHasNoItems
    /// An added item is found, with its secret.
    case addedItemIsFound
    /// Adding an existing identity, also in another encoding, is rejected and changes nothing.
    case identitiesAreUnique
    /// Each search finds the items that the query includes, in the order in which they were added.
    case searchesFindMatchingItems

    /// Secrets with any bytes, up to the maximum size, are stored unchanged.
    case secretsRoundTrip
    /// A secret that exceeds the maximum size is rejected and changes nothing.
    case oversizedSecretIsRejected
    /// Line breaks, slashes, null characters, emoji and long names are stored unchanged.
    case unusualStringsRoundTrip
    /// Long strings are stored completely or rejected.
    case longStringsRoundTripOrAreRejected
    /// Each accessibility is stored unchanged or rejected.
    case accessibilitiesRoundTripOrAreRejected
    /// The guarantees do not change.
    case guaranteesAreStable

    /// Access flags that the store cannot enforce and invalid combinations are rejected.
    case accessFlagsAreEnforcedOrRejected
    /// Reading an item with access flags requires the right proof; the store does not request one.
    case proofsAreRequired
    /// Reading or replacing a secret with an application password requires that password.
    case applicationPasswordIsRequired

    /// An update changes only what is given, removes nil attributes, and gives a new revision.
    case updatesChangeOnlyWhatIsGiven
    /// A write that expects an old revision or updates a removed item is a conflict without effect.
    case staleWritesConflict
    /// A removal affects no other item, can be repeated, and frees the identity for a new item.
    case removedItemIsGone
    /// Each write gives the store a revision that it never had, and no read changes it.
    case storeRevisionChangesWithEachWrite
    /// Reading a secret also returns the revisions of the item and of the store.
    case readingReturnsRevisions
    /// Another instance sees each completed write, and its stale writes are conflicts.
    case otherInstanceSeesWrites

    /// Every observer is notified of each kind of write, including writes by another instance.
    case observersAreNotified
    /// An observer is not notified after its observation is released.
    case releasedObserversAreNotNotified
    /// No handler runs inside the call that makes the change.
    case handlersRunOutsideWrites

    /// Exactly one of several concurrent adds with the same identity succeeds.
    case concurrentAddsSucceedOnce
    /// No successful update is lost to a concurrent one.
    case concurrentUpdatesAreNotLost
  }
}
