public import Testing

extension SecretStoreConformance {
  /// One rule of the contract between a store and who uses it.
  public enum Check: String, CaseIterable, Sendable, CustomTestStringConvertible {
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    case emptyStoreHasNothing, absentSecretIsNil, addedItemIsFound, identitiesAreUnique
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    case classesAreApart, everyIdentityPartDistinguishes, leftOutPartMatchesAnything
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    case absentPartIsAValue, searchesAreOldestFirst, equivalentSpellingsAreOneName
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    case unusualNamesComeBack, emptyNameIsNotAbsent, longTextsAreKeptOrRefused

    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    case secretsComeBackExactly, largestSecretComesBack, largerSecretIsRefused
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    case attributesComeBack, nilClearsAnAttribute
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    case accessibilitiesAreKeptOrRefused, accessFlagsAreCheckedOrRefused, guaranteesAreStable

    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    case attributeUpdateKeepsSecret, secretUpdateKeepsAttributes, updateChangesBoth
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    case updateKeepsNameAndIdentity, refusedUpdateChangesNothing, datesFollowWrites
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    case staleUpdateConflicts, staleRemovalConflicts, updateOfRemovedItemConflicts
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    case removedItemIsGone, removingAbsentItemSucceeds, identityIsFreeAfterRemoval

    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    case itemRevisionChangesWithEachWrite, storeRevisionChangesWithEachWrite
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    case storeRevisionStaysThroughReads, readingTellsRevisions, anotherInstanceSeesWrites

    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    case observersHearWrites, observersHearAnotherInstance, releasedObserversHearNothing

    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    case concurrentAddsHaveOneWinner, concurrentUpdatesLoseNothing

    /// The rule in words.
    public var testDescription: String { rawValue }
  }
}
