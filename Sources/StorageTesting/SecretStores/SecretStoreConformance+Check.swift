public import Testing

// The list of all checks.
extension SecretStoreConformance {
  /// One rule of the `SecretStore` contract.
  public enum Check: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// A new store has no items.
    case emptyStoreHasNoItems
    /// The secret of an item that does not exist is nil.
    case missingSecretIsNil
    /// Each kind of query finds an added item, with its secret.
    case addedItemIsFound
    /// Adding an existing identity is rejected and changes nothing.
    case identitiesAreUnique
    /// A search for one class of items finds none of the other class.
    case classesAreSeparate
    /// Items that differ in one part of the identity are different items.
    case everyIdentityPartDistinguishes
    /// A part that a pattern omits may have any value.
    case omittedPartMatchesAnyValue
    /// A part that an exact identity omits must be absent.
    case exactQueryRequiresAbsentParts
    /// Searches return the items in the order in which they were added.
    case resultsAreOldestFirst
    /// Canonically equivalent strings identify the same item.
    case equivalentStringsIdentifyOneItem
    /// Line breaks, slashes, null characters, emoji and long names are stored unchanged.
    case unusualStringsRoundTrip
    /// An empty string differs from an absent one.
    case emptyStringIsNotNil
    /// Long strings are stored completely or rejected.
    case longStringsRoundTripOrAreRejected

    /// Secrets with any bytes are stored unchanged.
    case secretsRoundTrip
    /// A secret of the maximum size can be read.
    case largestSecretRoundTrips
    /// A secret that exceeds the maximum size is rejected and changes nothing.
    case oversizedSecretIsRejected
    /// Every attribute is stored unchanged.
    case attributesRoundTrip
    /// Updating an attribute to nil clears it and leaves the others unchanged.
    case nilClearsAttribute
    /// Each accessibility is stored unchanged or rejected.
    case accessibilitiesRoundTripOrAreRejected
    /// Access flags that the store cannot enforce and invalid combinations are rejected.
    case accessFlagsAreEnforcedOrRejected
    /// Reading an item with access flags fails without a proof; the store does not request one.
    case unauthorizedReadIsDenied
    /// Reading an item with access flags succeeds with the required proof.
    case authorizedReadReturnsSecret
    /// Reading an item with access flags fails with a proof of another kind.
    case insufficientProofIsDenied
    /// Reading or replacing a secret with an application password requires that password.
    case applicationPasswordIsRequired
    /// The guarantees do not change.
    case guaranteesAreStable

    /// Updating the attributes keeps the secret.
    case attributeUpdateKeepsSecret
    /// Updating the secret keeps the attributes.
    case secretUpdateKeepsAttributes
    /// One update may change both the attributes and the secret.
    case updateChangesBoth
    /// An update keeps the identifier and the identity of the item.
    case updateKeepsIDAndIdentity
    /// A rejected update changes nothing.
    case rejectedUpdateChangesNothing
    /// An update keeps the creation date, and the modification date does not decrease.
    case datesAreConsistent
    /// An update that expects an old revision is a conflict and changes nothing.
    case staleUpdateConflicts
    /// A removal that expects an old revision is a conflict and changes nothing.
    case staleRemovalConflicts
    /// Updating a removed item is a conflict and does not restore the item.
    case updateOfRemovedItemConflicts
    /// Removing an item affects no other item.
    case removedItemIsGone
    /// Removing an item that does not exist succeeds.
    case removingAbsentItemSucceeds
    /// The identity of a removed item can be added again, as a new item.
    case removedIdentityCanBeAddedAgain

    /// Each write gives the item a revision that it never had.
    case itemRevisionChangesWithEachWrite
    /// Each write gives the store a revision that it never had.
    case storeRevisionChangesWithEachWrite
    /// Reads do not change the revision of the store.
    case readsKeepStoreRevision
    /// Reading a secret also returns the revisions of the item and of the store.
    case readingReturnsRevisions
    /// Another instance sees each completed write, and its stale writes are conflicts.
    case otherInstanceSeesWrites

    /// Every observer is notified of each kind of write.
    case observersAreNotifiedOfWrites
    /// An observer is notified of writes by another instance.
    case observersAreNotifiedOfOtherInstance
    /// An observer is not notified after its observation is released.
    case releasedObserversAreNotNotified
    /// No handler runs inside the call that makes the change.
    case handlersRunOutsideWrites

    /// Exactly one of several concurrent adds with the same identity succeeds.
    case concurrentAddsSucceedOnce
    /// No successful update is lost to a concurrent one.
    case concurrentUpdatesAreNotLost

    /// The name of the rule.
    public var testDescription: String { rawValue }
  }
}
