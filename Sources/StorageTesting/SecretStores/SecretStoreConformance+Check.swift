public import Testing

extension SecretStoreConformance {
  /// One rule of the `SecretStore` contract.
  public enum Check: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// A fresh store has no item.
    case emptyStoreHasNothing
    /// The secret of an item that does not exist is nil.
    case absentSecretIsNil
    /// Each kind of query finds an added item, with its secret.
    case addedItemIsFound
    /// Adding an existing identity is refused and changes nothing.
    case identitiesAreUnique
    /// A search for one class finds no item of the other.
    case classesAreApart
    /// Items that differ in one part of the identity are different items.
    case everyIdentityPartDistinguishes
    /// A part that a pattern omits may have any value.
    case leftOutPartMatchesAnything
    /// A part that an exact identity omits must be absent.
    case absentPartIsAValue
    /// Searches return the items in the order of adding.
    case searchesAreOldestFirst
    /// Canonically equivalent texts name the same item.
    case equivalentSpellingsAreOneName
    /// Line breaks, slashes, zeros, emoji and long names are stored unchanged.
    case unusualNamesComeBack
    /// An empty text differs from an absent one.
    case emptyNameIsNotAbsent
    /// Long texts are stored completely, or refused.
    case longTextsAreKeptOrRefused

    /// Secrets of any bytes are stored unchanged.
    case secretsComeBackExactly
    /// A secret of the largest size can be read.
    case largestSecretComesBack
    /// A secret that exceeds the largest size is refused and changes nothing.
    case largerSecretIsRefused
    /// Every attribute is stored unchanged.
    case attributesComeBack
    /// Updating an attribute to nil clears it, and no other.
    case nilClearsAnAttribute
    /// Each accessibility is stored unchanged, or refused.
    case accessibilitiesAreKeptOrRefused
    /// Access flags that cannot be checked or are an invalid mix are refused; a store that does not
    /// enforce access control refuses all.
    case accessFlagsAreCheckedOrRefused
    /// Reading an item with access flags fails without the proof, and the store asks no person.
    case unauthorizedReadIsDenied
    /// Reading an item with access flags succeeds with the proof.
    case authorizedReadGivesTheSecret
    /// Reading fails without a proof or with another one.
    case insufficientProofIsDenied
    /// An item with an application password is read and replaced only with that password.
    case applicationPasswordIsRequired
    /// The guarantees do not change.
    case guaranteesAreStable

    /// Updating attributes keeps the secret.
    case attributeUpdateKeepsSecret
    /// Updating the secret keeps the attributes.
    case secretUpdateKeepsAttributes
    /// An update may change attributes and secret together.
    case updateChangesBoth
    /// An update keeps the identifier and the identity of the item.
    case updateKeepsNameAndIdentity
    /// An update that is refused changes nothing.
    case refusedUpdateChangesNothing
    /// The creation date stays, and the modification date does not decrease.
    case datesFollowWrites
    /// An update that expects an old revision is a conflict and changes nothing.
    case staleUpdateConflicts
    /// A removal that expects an old revision is a conflict and changes nothing.
    case staleRemovalConflicts
    /// Updating a removed item is a conflict and does not restore it.
    case updateOfRemovedItemConflicts
    /// A removed item is gone, and the others stay.
    case removedItemIsGone
    /// Removing an item that does not exist succeeds.
    case removingAbsentItemSucceeds
    /// After a removal the identity can be added again, as a new item.
    case identityIsFreeAfterRemoval

    /// Each write gives the item a revision that it never had.
    case itemRevisionChangesWithEachWrite
    /// Each write gives the store a revision that it never had.
    case storeRevisionChangesWithEachWrite
    /// Reads do not change the revision of the store.
    case storeRevisionStaysThroughReads
    /// Reading a secret returns the revisions of the item and of the store.
    case readingTellsRevisions
    /// Another instance sees each completed write, and its own stale writes are refused.
    case anotherInstanceSeesWrites

    /// Every observer is notified of each kind of write.
    case observersHearWrites
    /// An observer is notified of the writes of another instance.
    case observersHearAnotherInstance
    /// An observer is not notified after its token is released.
    case releasedObserversHearNothing
    /// No handler runs inside the call that makes the change.
    case observersRunElsewhere

    /// Of concurrent adds with the same identity, one succeeds.
    case concurrentAddsHaveOneWinner
    /// Concurrent updates that expect the current revision are not lost.
    case concurrentUpdatesLoseNothing

    /// The name of the rule.
    public var testDescription: String { rawValue }
  }
}
