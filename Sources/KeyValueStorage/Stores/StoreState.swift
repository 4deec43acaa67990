import Concurrency
import ValueFormats

/// The cached contents and unsaved changes of a store.
struct StoreState: Sendable {
  /// A change that has not been written, with a number that is lower than those of later ones.
  typealias Unsaved = (value: EncodedValue?, sequenceNumber: Int)
  typealias UnsavedChanges = [StoredKey: Unsaved]
  typealias OpenTransaction = (thread: ThreadIdentity, draft: KeyValueDraft)
  /// A write of this store: the unsaved changes in it, and the keys that it changed in the contents
  /// of a revision.
  typealias Write = (saved: UnsavedChanges, base: Int64, keys: [StoredKey])

  /// The most recently read contents; nil before the first read.
  private(set) var contents: KeyValueContents?
  /// The reason why newer contents could not be read; nil if the last read succeeded.
  @ReportedError private(set) var readError: KeyValueStoreError? {
    didSet { if readError != oldValue { notifyErrorObservers() } }
  }
  /// The start of the grace period for contents that have become empty or unreadable.
  private var gracePeriodStart: ContinuousClock.Instant?
  /// Whether changes by other programs are reported; if not, each access checks for them.
  var isWatched = false
  /// The last failed migration; until the contents change, only `load()` retries it.
  var failedMigration: (revision: Int64, error: KeyValueStoreError)?
  private(set) var unsaved: UnsavedChanges = [:]
  /// The changes that `save` has added and no thread is writing yet, in their order.
  var saves: [PendingSave] = []
  /// The reason why unsaved changes could not be written; nil if there are none.
  @ReportedError var writeError: KeyValueStoreError? {
    didSet { if writeError != oldValue { notifyErrorObservers() } }
  }
  /// The reason why the file could not be migrated, although it could be read.
  @ReportedError var migrationWriteError: KeyValueStoreError?
  /// Whether unsaved changes should have been written by now.
  var isOverdue = false
  /// A number that increases with each change visible to a reader.
  private(set) var generation = 0
  /// The open transaction of any thread; nil if there is none.
  private(set) var transaction: OpenTransaction?
  var ownTransaction: OpenTransaction? { transaction?.thread == .current ? transaction : nil }
  /// The thread that changes a property in place and holds `propertyLock`; nil for none.
  var changingThread: ThreadIdentity?
  var observers = KeyObservers()
  var declarations = Declarations()
  var errorObservers: [ErrorObserver] = []
  /// The reported keys of the file that no property has; nil unless such keys are reported.
  var reportedUnknownKeys: [StoredKey: UnknownKey]?

  /// The value of a key for threads that are not in a transaction.
  subscript(key: StoredKey) -> EncodedValue? {
    if !unsaved.isEmpty, let unsaved = unsaved[key] { return unsaved.value }
    return contents?[key]
  }

  /// Returns the value of a key for the calling thread, which may be in a transaction.
  func visible(_ key: StoredKey) -> EncodedValue? {
    ownTransaction.map { $0.draft[key] } ?? self[key]
  }

  /// Whether the cached contents may be stale, so that each access must check for changes.
  var needsReading: Bool { contents == nil || readError != nil || !isWatched }

  /// Sets or removes a key, and returns the generation from which all threads observe the change;
  /// nil in a transaction of the calling thread.
  mutating func set(_ key: StoredKey, to value: EncodedValue?) -> Int? {
    generation += 1
    if transaction?.thread == .current {
      transaction?.draft[key] = value
      return nil
    }
    if !observers.byKey.isEmpty, self[key] != value { observers.notify(key, value) }
    unsaved.updateValue((value, generation), forKey: key)
    return generation
  }

  /// Caches contents, unless newer ones are cached, and removes saved changes from `unsaved`.
  ///
  /// The saved changes of `write` are all unsaved changes of an earlier moment. Returns the values
  /// of properties to decode, and whether there may be new unknown keys.
  mutating func adopt(
    _ newest: KeyValueContents, after write: Write?
  ) -> (pending: [PendingValue], hasNewKeys: Bool) {
    // Only after changes by others must the values of all properties be compared.
    let changed = write?.base == contents?.revision ? write?.keys : nil
    gracePeriodStart = nil
    let before = observers.byKey.isEmpty ? nil : self
    generation += 1
    // Another thread may have adopted newer contents in the meantime.
    if contents?.revision ?? .min <= newest.revision { contents = newest }
    // The changes of that moment are those up to its last one.
    if let lastSaved = write?.saved.values.lazy.map(\.sequenceNumber).max() {
      unsaved = unsaved.filter { $0.value.sequenceNumber > lastSaved }
    }
    if let before {
      for key in observers.keysToCompare(before, self) where before[key] != self[key] {
        observers.notify(key, self[key])
      }
    }
    if unsaved.isEmpty {
      writeError = nil
      isOverdue = false
    }
    let pending = self.pending(of: changed.map { $0.flatMap { declarations[$0] } })
    for value in pending { value.declaration.cache.isOutdated = true }
    if readError != nil {
      for declaration in declarations.all {
        switch declaration.cache.rejection {
        case nil, .unencodable?, .undecodable?: break
        // The newest value could not be read then.
        default: declaration.cache.rejection = nil
        }
      }
    }
    // Last, so that an observer of errors is not called with nil before a mistake is found.
    readError = nil
    // The written keys no longer have the error of those that are left.
    if writeError != nil { notifyErrorObservers() }
    return (pending, changed?.contains { declarations[$0].isEmpty } ?? true)
  }

  /// Records a read error, unless another thread has read newer contents in the meantime.
  mutating func recordReadError(_ error: KeyValueStoreError, since revision: Int64?) {
    guard contents?.revision == revision else { return }
    // A new generation makes each setting check its value again, which retries the read.
    if readError == nil { generation += 1 }
    readError = error
    gracePeriodStart = nil
  }

  /// Begins a grace period, unless one has begun, and returns whether it has not yet expired.
  ///
  /// A program that writes a file may first remove or truncate it. If the contents were already
  /// empty, there is no grace period.
  mutating func beginOrContinueGracePeriod(of limit: Duration) -> Bool {
    guard contents?.isEmpty == false else { return false }
    let now = ContinuousClock.now
    let start = gracePeriodStart ?? now
    gracePeriodStart = start
    return now - start < limit
  }

  mutating func setTransaction(_ transaction: OpenTransaction?) {
    self.transaction = transaction
    // A value that is cached for a generation is visible to all threads.
    generation += 1
  }
}
