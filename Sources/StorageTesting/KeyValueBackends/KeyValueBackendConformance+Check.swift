public import Testing

extension KeyValueBackendConformance {
  /// One rule of the `KeyValueBackend` contract.
  public enum Check: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// New storage has no keys.
    case newStorageIsEmpty
    /// An update returns the contents after its changes, and later reads return the same.
    case updatesAreStored
    /// An update changes no other key, and a removed key is gone.
    case otherKeysAreKept
    /// The bytes of values are stored unchanged.
    case valuesKeepTheirBytes
    /// Any string is a key, and its bytes are stored unchanged.
    case keysKeepTheirBytes
    /// Canonically equivalent keys are different keys.
    case equivalentKeysAreSeparate
    /// Thousands of keys are stored and removed together.
    case manyKeysAreKept
    /// An update without changes writes nothing.
    case updateWithoutChangesWritesNothing

    /// An update computes its changes from the newest contents.
    case updatesBeginWithTheNewestContents
    /// The last of several updates determines the value.
    case updatesApplyInOrder
    /// Another backend on the storage sees each completed update.
    case otherBackendSeesUpdates
    /// A completed update is in the storage, not in the memory of the backend.
    case updatesSurviveACrash
    /// No change remains undetected.
    case changesAreDetected
    /// `load(updating:)` returns the newest contents, whichever older contents it is given.
    case updatedContentsAreTheNewest
    /// Newer contents have a higher revision.
    case revisionsIncrease
    /// A read never returns contents that are older than those of an earlier read.
    case readsNeverGoBack
    /// No update is lost to a concurrent one.
    case concurrentUpdatesAreNotLost

    /// Every observer is notified of each change in time.
    case observersAreNotified
    /// An observer is notified of changes by another backend in time.
    case observersAreNotifiedOfOtherBackend
    /// Observers are notified only once of each change.
    case observersAreNotifiedOnce
    /// The change is visible to the handler that is notified of it.
    case handlersSeeTheChange
    /// No handler runs inside of a call to the backend.
    case handlersRunOutsideCalls
    /// An observer is not notified after its observation is released.
    case releasedObserversAreNotNotified
    /// A store on the backend reports each change to its observers exactly once.
    case storeReportsEachChangeOnce

    /// Reads and writes of storage that cannot be accessed throw and change nothing.
    case interruptionIsThrown
    /// Reads and writes of damaged contents throw.
    case damageIsThrown
    /// Readable contents are not moved aside.
    case readableContentsStay
    /// Damaged contents are moved aside, and the storage can be used again.
    case damagedContentsAreMovedAside

    /// The name of the rule.
    public var testDescription: String { rawValue }
  }
}
