import Concurrency
import ValueFormats

/// The cached contents and unsaved changes of a store.
struct StoreState: Sendable {
  /// A change that has not been written.
  struct Unsaved: Sendable {
    let value: EncodedValue?
    /// The number that distinguishes the change from later changes to the same key.
    let sequenceNumber: Int
  }

  /// The saves of a key that wait for their write.
  private struct PendingKey: Sendable {
    var count = 0
    /// The sequence number of the last set while they wait.
    var lastSet = Int.min
  }

  /// The process that owns the state.
  let process = Fork.generation
  /// The most recently read contents; nil before the first read.
  private(set) var contents: KeyValueContents?
  /// The reason why newer contents could not be read; nil if the last read succeeded.
  private(set) var readError: KeyValueStoreError?
  /// The start of the grace period for contents that have become empty or unreadable.
  private var gracePeriodStart: ContinuousClock.Instant?
  /// Whether changes by other programs are reported; if not, each access checks for them.
  var isWatched = false
  /// The last write with an unknown outcome, as a generation; nil once a read has settled it.
  private(set) var uncertainWrite: Int?
  /// The last failed migration, with the revision of the contents.
  private var failedMigration: (revision: Int64, error: KeyValueStoreError)?
  private(set) var unsaved: [StoredKey: Unsaved] = [:]
  /// The keys of saves that wait for their write.
  private var pendingSaves: [StoredKey: PendingKey] = [:]
  /// The sequence number of the last change, saved or not.
  private var lastSequenceNumber = 0
  /// The reason why unsaved changes could not be written.
  var writeError: KeyValueStoreError?
  /// Whether unsaved changes should have been written by now.
  var isOverdue = false
  /// A number that increases with each change visible to a reader.
  private(set) var generation = 0
  private(set) var transaction: OpenTransaction?
  var observers = KeyObservers()
  var properties = PropertyRegistry()
  /// Whether the last check of the properties' values, or a later read, found an invalid one.
  var hasMistakes = false
  /// The delays of the scheduled checks of the properties' values.
  var scheduledChecks: Set<Duration> = []
  /// The reason why newer contents could not be read, if it has been reported.
  private var reportedReadError: KeyValueStoreError?

  /// Returns the value of a key for threads that are not in a transaction.
  subscript(key: StoredKey) -> EncodedValue? {
    if !unsaved.isEmpty, let unsaved = unsaved[key] {
      guard let contents, contents.layers != nil else { return unsaved.value }
      return contents.value(of: key, changedTo: unsaved.value)
    }
    return contents?[key]
  }

  /// The contents for the calling thread, without changes.
  var visibleContents: KeyValueContents? { transaction.ofThisThread?.draft.contents ?? contents }

  /// Returns the value of a key for the calling thread.
  func visible(_ key: StoredKey) -> EncodedValue? {
    isInTransactionOfThisThread ? transaction?.draft[key] : self[key]
  }

  /// Adds a property to the registry, and returns its record.
  mutating func add(_ property: Property) -> PropertyRecord {
    let record = record(of: property)
    record.add(property)
    return record
  }

  mutating func record(of property: Property) -> PropertyRecord {
    let (unsaved, contents) = (unsaved, contents)
    return properties.record(of: property) { unsaved[$0] != nil || contents?[$0] != nil }
  }

  /// Returns whether the value of a property has not been decoded since it changed.
  mutating func hasUncheckedValue(_ property: Property) -> Bool {
    let (encoded, record) = (self[property.key], record(of: property))
    let isInvalid = record.isInvalid(encoded)
    if isInvalid { hasMistakes = true }
    return !isInvalid && !record.isValid(encoded)
  }

  /// Records the result of decoding a value that all threads see; returns an error that has not
  /// been reported, and the reported one that is resolved.
  mutating func recordDecoding(
    of encoded: EncodedValue?, _ value: AnyBox?, _ error: KeyValueStoreError?,
    in record: PropertyRecord
  ) -> (unreported: KeyValueStoreError?, resolved: KeyValueStoreError?) {
    guard let error else { return (nil, record.accept(encoded == nil ? nil : value, encoded)) }
    hasMistakes = true
    let (isNew, replaced) = record.reject(encoded, error)
    return (isNew ? error : nil, replaced)
  }

  func isUnsaved(_ key: StoredKey) -> Bool { unsaved[key] != nil }

  /// Whether the cached contents may be stale, so that each access must check for changes.
  var needsReading: Bool {
    contents == nil || readError != nil || !isWatched || uncertainWrite != nil
  }

  /// Returns the reason why the calling thread's value of a key may be stale; nil if it is current.
  func readError(of key: StoredKey) -> KeyValueStoreError? {
    isInTransactionOfThisThread || isUnsaved(key) ? nil : readError
  }

  /// Sets or removes a key, within the calling thread's transaction if there is one.
  ///
  /// - Returns: The generation from which all threads observe the change; nil in a transaction.
  mutating func set(_ key: StoredKey, to value: EncodedValue?) -> Int? {
    if isInTransactionOfThisThread {
      generation += 1
      transaction?.draft[key] = value
      return nil
    }
    change(of: CollectionOfOne(key)) { state in
      state.lastSequenceNumber = state.generation
      let unsaved = Unsaved(value: value, sequenceNumber: state.generation)
      state.unsaved.updateValue(unsaved, forKey: key)
      if !state.pendingSaves.isEmpty { state.pendingSaves[key]?.lastSet = state.generation }
    }
    return generation
  }

  /// Begins a save, which a set of the same key supersedes until the save is written.
  mutating func beginSave(
    of key: StoredKey, _ value: EncodedValue?
  ) -> KeyValueStore.PendingSave {
    pendingSaves[key, default: PendingKey()].count += 1
    return KeyValueStore.PendingSave(key: key, value: value, generation: generation)
  }

  func isSuperseded(_ save: KeyValueStore.PendingSave) -> Bool {
    pendingSaves[save.key].map { $0.lastSet > save.generation } ?? false
  }

  mutating func end(_ saves: [KeyValueStore.PendingSave]) {
    for save in saves {
      pendingSaves[save.key]?.count -= 1
      if pendingSaves[save.key]?.count == 0 { pendingSaves[save.key] = nil }
    }
  }

  /// Adopts contents that a backend has read or written.
  mutating func adopt(_ newest: KeyValueContents, saved: [StoredKey: Unsaved] = [:]) {
    readError = nil
    gracePeriodStart = nil
    // Another thread may have adopted newer contents in the meantime.
    let isOlder = contents.map { newest.revision < $0.revision } ?? false
    let keys = observers.keysToCompare(contents, isOlder ? contents : newest, saved.keys)
    change(of: keys) { state in
      if !isOlder { state.contents = newest }
      if saved.values.lazy.map(\.sequenceNumber).max() == state.lastSequenceNumber {
        // No key was set after `saved` was captured.
        state.unsaved.removeAll(keepingCapacity: true)
      } else {
        for (key, change) in saved
        where state.unsaved[key]?.sequenceNumber == change.sequenceNumber {
          state.unsaved[key] = nil
        }
      }
    }
    if unsaved.isEmpty {
      writeError = nil
      isOverdue = false
    }
  }

  /// Records a read error, unless another thread has read newer contents in the meantime; returns
  /// whether it is new.
  ///
  /// If nothing has been read yet, the contents are those that need no reading, if there are any.
  mutating func recordReadError(
    _ error: KeyValueStoreError, since revision: Int64?,
    unread: @autoclosure () -> KeyValueContents?
  ) -> Bool {
    guard contents?.revision == revision else { return false }
    if contents == nil { contents = unread() }
    // A new generation makes each setting check its value again, which retries the read.
    if readError == nil { generation += 1 }
    gracePeriodStart = nil
    defer { readError = error }
    return readError != error
  }

  var hasReportedReadError: Bool { reportedReadError != nil }

  /// Returns the read error if it is not yet reported, and the reported one that it replaces.
  mutating func takeUnreportedReadError() -> (new: KeyValueStoreError?, old: KeyValueStoreError?) {
    guard let readError, readError != reportedReadError else { return (nil, nil) }
    defer { reportedReadError = readError }
    return (readError, reportedReadError)
  }

  /// Returns the reported read error after it has been resolved.
  mutating func takeReportedReadError() -> KeyValueStoreError? {
    readError == nil ? reportedReadError.take() : nil
  }

  /// Records a write with an unknown outcome, so that the next access reads.
  mutating func recordUncertainWrite() {
    generation += 1
    uncertainWrite = generation
  }

  /// Records a read that began after an uncertain write, and so has settled its outcome: changes
  /// that were made are saved.
  mutating func settle(_ write: Int?) {
    guard let write, uncertainWrite == write else { return }
    uncertainWrite = nil
    let contents = contents
    unsaved = unsaved.filter { key, change in
      change.sequenceNumber > write
        || contents?[key] != contents?.value(of: key, changedTo: change.value)
    }
    if unsaved.isEmpty {
      writeError = nil
      isOverdue = false
    }
  }

  /// Begins a grace period, unless one has begun, and returns whether it has not yet expired.
  ///
  /// Meanwhile, empty contents are ignored, because a program that writes a file may first remove
  /// or truncate it.
  mutating func beginGracePeriod(of limit: Duration) -> Bool {
    guard contents?.hasNoValues == false else { return false }
    let now = ContinuousClock.now
    let start = gracePeriodStart ?? now
    gracePeriodStart = start
    return now - start < limit
  }

  /// Records a migration error; until the contents change, only `load()` retries.
  mutating func recordMigrationError(_ error: KeyValueStoreError, for newest: KeyValueContents) {
    failedMigration = (newest.revision, error)
  }

  func migrationError(for newest: KeyValueContents) -> KeyValueStoreError? {
    failedMigration?.revision == newest.revision ? failedMigration?.error : nil
  }

  /// Begins, updates, or ends a transaction.
  ///
  /// The generation increases, because a value that is cached for a generation is visible to all
  /// threads.
  mutating func setTransaction(_ transaction: OpenTransaction?) {
    self.transaction = transaction
    generation += 1
  }

  var isInTransaction: Bool { transaction != nil }

  /// Whether the calling thread is in the transaction.
  ///
  /// Each set checks this, so it must copy neither the transaction nor the whole state.
  @inline(__always)
  var isInTransactionOfThisThread: Bool { transaction?.thread == .current }

  /// Makes a change, and notifies the observers of the keys whose values it changes.
  private mutating func change(
    of keys: some Sequence<StoredKey>, _ body: (inout StoreState) -> Void
  ) {
    generation += 1
    if observers.isEmpty { return body(&self) }
    let before = keys.filter(observers.contains).map { (key: $0, value: self[$0]) }
    body(&self)
    for (key, old) in before {
      let new = self[key]
      if new != old { observers.notify(key, from: old, to: new) }
    }
  }
}
