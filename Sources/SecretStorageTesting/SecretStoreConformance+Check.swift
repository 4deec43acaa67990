public import Testing

extension SecretStoreConformance {
  /// One rule of the contract between a store and who uses it.
  public enum Check: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// A fresh store has no item.
    case emptyStoreHasNothing
    /// The secret of an item that is not there is nil.
    case absentSecretIsNil
    /// An added item is found by each kind of query, with its secret.
    case addedItemIsFound
    /// Adding an identity that exists is refused and changes nothing.
    case identitiesAreUnique
    /// A search for one class finds no item of the other.
    case classesAreApart
    /// Items that differ in one part of the identity are different items.
    case everyIdentityPartDistinguishes
    /// A part that a pattern leaves out may be anything.
    case leftOutPartMatchesAnything
    /// A part that an exact identity leaves out must be absent.
    case absentPartIsAValue
    /// Searches give the item that was added first before the others.
    case searchesAreOldestFirst
    /// Canonically equivalent texts name the same item.
    case equivalentSpellingsAreOneName
    /// Line breaks, slashes, zeros, emoji and long names come back as they were.
    case unusualNamesComeBack
    /// An empty text is not the same as none.
    case emptyNameIsNotAbsent
    /// Long texts come back complete, or are refused.
    case longTextsAreKeptOrRefused

    /// Secrets of any bytes come back as they were.
    case secretsComeBackExactly
    /// A secret of the largest size comes back.
    case largestSecretComesBack
    /// A secret of more than the largest size is refused and changes nothing.
    case largerSecretIsRefused
    /// Every attribute comes back as it was.
    case attributesComeBack
    /// Updating an attribute to nil clears it, and no other.
    case nilClearsAnAttribute
    /// Each accessibility comes back as it was, or is refused.
    case accessibilitiesAreKeptOrRefused
    /// Access flags that nobody can check, or that make no sense, are refused; a store that does not
    /// enforce access control refuses all.
    case accessFlagsAreCheckedOrRefused
    /// An item with access flags is not read without the proof, and no person is asked by the store.
    case unauthorizedReadIsDenied
    /// An item with access flags is read with the proof.
    case authorizedReadGivesTheSecret
    /// A person who proves nothing, or something else, does not get an item read.
    case insufficientProofIsDenied
    /// An item with an application password is read and replaced with that password alone.
    case applicationPasswordIsRequired
    /// The guarantees do not change.
    case guaranteesAreStable

    /// Updating attributes keeps the secret.
    case attributeUpdateKeepsSecret
    /// Updating the secret keeps the attributes.
    case secretUpdateKeepsAttributes
    /// An update may change attributes and secret together.
    case updateChangesBoth
    /// An update keeps the name and the identity of the item.
    case updateKeepsNameAndIdentity
    /// An update that is refused changes nothing.
    case refusedUpdateChangesNothing
    /// The creation date stays, the modification date does not go back.
    case datesFollowWrites
    /// An update that expects an old revision is a conflict and changes nothing.
    case staleUpdateConflicts
    /// A removal that expects an old revision is a conflict and changes nothing.
    case staleRemovalConflicts
    /// Updating a removed item is a conflict and does not bring it back.
    case updateOfRemovedItemConflicts
    /// A removed item is gone, and the others are not.
    case removedItemIsGone
    /// Removing an item that is already gone succeeds.
    case removingAbsentItemSucceeds
    /// After a removal the identity can be added again, as a new item.
    case identityIsFreeAfterRemoval

    /// Each write gives the item a revision that it never had.
    case itemRevisionChangesWithEachWrite
    /// Each write gives the store a revision that it never had.
    case storeRevisionChangesWithEachWrite
    /// Reads leave the revision of the store as it is.
    case storeRevisionStaysThroughReads
    /// Reading a secret tells the revisions of the item and of the store.
    case readingTellsRevisions
    /// Another instance sees each write that returned, and loses no race to it.
    case anotherInstanceSeesWrites

    /// Every observer hears of each kind of write.
    case observersHearWrites
    /// An observer hears of the writes of another instance.
    case observersHearAnotherInstance
    /// An observer hears nothing after its token was released.
    case releasedObserversHearNothing
    /// No handler runs inside of the call that made the change.
    case observersRunElsewhere

    /// Of concurrent adds of one identity, one succeeds.
    case concurrentAddsHaveOneWinner
    /// Concurrent updates that expect the current revision lose none.
    case concurrentUpdatesLoseNothing

    /// The name of the rule.
    public var testDescription: String { rawValue }
  }
}
