import Concurrency
import ValueFormats

/// The cached contents and unsaved changes of a store.
struct StoreState: Sendable {
  /// A change that is not written yet.
  struct Unsaved: Sendable {
    let value: EncodedValue?
    /// The number that distinguishes it from a later change of the same key.
    let number: Int
  }

  /// The process that owns the state.
  let process = Fork.generation
  /// The newest contents that could be read; nil before the first read.
  private(set) var contents: KeyValueContents?
  /// The reason why newer contents, if any, could not be read.
  private(set) var readProblem: KeyValueStoreError?
  /// The time since which the backend is empty or unreadable, although contents are known.
  private var unsettledSince: ContinuousClock.Instant?
  /// Whether changes by other programs are reported; if not, each access checks for them.
  var isWatched = false
  /// The revision that could not be migrated to the app's version, and the error.
  private var refused: (revision: Int64, error: KeyValueStoreError)?
  private(set) var unsaved: [StoredKey: Unsaved] = [:]
  /// The number of the last change, saved or not.
  private var lastChange = 0
  /// The reason why unsaved changes could not be written.
  var writeProblem: KeyValueStoreError?
  /// Whether unsaved changes are due but could not be written.
  var isOverdue = false
  /// A number that grows with each change visible to a reader.
  private(set) var generation = 0
  /// The current transaction.
  private(set) var transaction: OpenTransaction?
  var observers = KeyObservers()

  /// Returns the value of a key for threads outside of a transaction.
  subscript(key: StoredKey) -> EncodedValue? {
    if !unsaved.isEmpty, let unsaved = unsaved[key] { return unsaved.value }
    return contents?[key]
  }

  /// Returns the value of a key for this thread.
  func visible(_ key: StoredKey) -> EncodedValue? {
    transaction.ofThisThread.map { $0.draft[key] } ?? self[key]
  }

  func isUnsaved(_ key: StoredKey) -> Bool { unsaved[key] != nil }

  /// Whether the cached contents may be stale, so that each access must read.
  var needsReading: Bool { contents == nil || readProblem != nil || !isWatched }

  /// Returns the reason why this thread's value of a key may be stale; nil if it is not.
  func problem(of key: StoredKey) -> KeyValueStoreError? {
    transaction.ofThisThread != nil || isUnsaved(key) ? nil : readProblem
  }

  /// Sets or removes a key, in this thread's transaction if there is one.
  ///
  /// Returns the generation in which all threads see the change; nil in a transaction.
  mutating func set(_ key: StoredKey, to value: EncodedValue?) -> Int? {
    if transaction.ofThisThread != nil {
      generation += 1
      transaction?.draft[key] = value
      return nil
    }
    change { state in
      state.lastChange = state.generation
      let unsaved = Unsaved(value: value, number: state.generation)
      state.unsaved.updateValue(unsaved, forKey: key)
    }
    return generation
  }

  /// Adopts contents that a backend has read or written.
  mutating func adopt(_ newest: KeyValueContents, saved: [StoredKey: Unsaved] = [:]) {
    readProblem = nil
    unsettledSince = nil
    // Another thread may have adopted newer contents meanwhile.
    let isOlder = contents.map { newest.revision < $0.revision } ?? false
    change { state in
      if !isOlder { state.contents = newest }
      if saved.values.lazy.map(\.number).max() == state.lastChange {
        // Nothing was set since `saved` was captured.
        state.unsaved.removeAll(keepingCapacity: true)
      } else {
        for (key, value) in saved where state.unsaved[key]?.number == value.number {
          state.unsaved[key] = nil
        }
      }
    }
    if unsaved.isEmpty {
      writeProblem = nil
      isOverdue = false
    }
  }

  /// Records why a read failed, unless another thread has read newer contents meanwhile.
  mutating func fail(_ error: KeyValueStoreError, since revision: Int64?) {
    guard contents?.revision == revision else { return }
    // Settings look their values up again, which retries the read.
    if readProblem == nil { generation += 1 }
    readProblem = error
    unsettledSince = nil
  }

  /// Returns whether missing or empty contents may be temporary, within a time limit.
  ///
  /// A program that writes a file may first remove or truncate it.
  mutating func mayPass(within time: Duration) -> Bool {
    guard contents?.isEmpty == false else { return false }
    let now = ContinuousClock.now
    let start = unsettledSince ?? now
    unsettledSince = start
    return now - start < time
  }

  /// Records why contents cannot be used; until others are read, only `load()` retries.
  mutating func refuse(_ newest: KeyValueContents, _ error: KeyValueStoreError) {
    refused = (newest.revision, error)
  }

  /// Returns the recorded reason why contents cannot be used.
  func refusal(of newest: KeyValueContents) -> KeyValueStoreError? {
    refused?.revision == newest.revision ? refused?.error : nil
  }

  /// Opens, updates, or ends a transaction.
  ///
  /// Its thread and the other threads see separate generations: a value cached for the newest
  /// generation is visible to every thread.
  mutating func setTransaction(_ transaction: OpenTransaction?) {
    self.transaction = transaction
    generation += 1
  }

  var isInTransaction: Bool { transaction != nil }

  /// Makes a change, and notifies its observers.
  private mutating func change(_ body: (inout StoreState) -> Void) {
    generation += 1
    if observers.isEmpty { return body(&self) }
    let before = self
    body(&self)
    for key in observers.concerned(by: before, self) {
      let value = self[key]
      if before[key] != value { observers.announce(key, value) }
    }
  }
}

/// The current state of a transaction.
struct OpenTransaction: Sendable {
  let thread = ThreadIdentity.current
  var draft: KeyValueDraft
}

extension OpenTransaction? {
  /// The transaction, if this thread is in it.
  var ofThisThread: OpenTransaction? {
    guard let self, self.thread == .current else { return nil }
    return self
  }
}
