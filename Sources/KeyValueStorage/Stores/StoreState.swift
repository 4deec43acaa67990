import Concurrency
import StorageInternals

/// What a store knows, and what it has yet to write.
struct StoreState: Sendable {
  /// A change that is not written yet.
  struct Unsaved: Sendable {
    let value: EncodedValue?
    /// Tells it from a later change of the same key.
    let number: Int
  }

  /// The process that this belongs to.
  let process = Fork.generation
  /// The newest contents that could be read; nil before the first.
  private(set) var contents: KeyValueContents?
  /// Why newer contents, if there are some, could not be read.
  private(set) var readProblem: KeyValueStoreError?
  /// Since when the backend has nothing, or nothing readable, where contents are known.
  private var unsettledSince: ContinuousClock.Instant?
  /// Whether changes by other programs are reported; if not, each access looks for them.
  var isWatched = false
  /// The contents that migrations could not bring to the app's version, and why.
  private var refused: (revision: Int64, error: KeyValueStoreError)?
  private(set) var unsaved: [StoredKey: Unsaved] = [:]
  /// The number of the change that was made last, saved or not.
  private var lastChange = 0
  /// Why what is unsaved could not be written.
  var writeProblem: KeyValueStoreError?
  /// Whether what is unsaved would be written by now if it could be.
  var isOverdue = false
  /// Another one after each change that a reader may see.
  private(set) var generation = 0
  /// The transaction that is under way.
  private(set) var transaction: OpenTransaction?
  var observers = KeyObservers()

  /// The value of a key as threads see it that are not in a transaction.
  subscript(key: StoredKey) -> EncodedValue? {
    if !unsaved.isEmpty, let unsaved = unsaved[key] { return unsaved.value }
    return contents?[key]
  }

  /// The value of a key as this thread sees it.
  func visible(_ key: StoredKey) -> EncodedValue? {
    transaction.ofThisThread.map { $0.draft[key] } ?? self[key]
  }

  func isUnsaved(_ key: StoredKey) -> Bool { unsaved[key] != nil }

  /// Whether what is in memory may not be the newest: each access looks for that then.
  var needsReading: Bool { contents == nil || readProblem != nil || !isWatched }

  /// Why the newest value of a key is not known to this thread; nil if it is.
  func problem(of key: StoredKey) -> KeyValueStoreError? {
    transaction.ofThisThread != nil || isUnsaved(key) ? nil : readProblem
  }

  /// Sets or removes a key, in this thread's transaction if there is one.
  ///
  /// Returns the generation in which all threads see it; nil in a transaction.
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

  /// Takes over what a backend has, after it was read or written.
  mutating func adopt(_ newest: KeyValueContents, saved: [StoredKey: Unsaved] = [:]) {
    readProblem = nil
    unsettledSince = nil
    // What another thread adopted meanwhile may be newer.
    let isOlder = contents.map { newest.revision < $0.revision } ?? false
    change { state in
      if !isOlder { state.contents = newest }
      if saved.values.lazy.map(\.number).max() == state.lastChange {
        // Nothing was set since `saved` was all that is unsaved.
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

  /// Notes why reading failed, unless another thread has read newer contents than were known
  /// before.
  mutating func fail(_ error: KeyValueStoreError, since revision: Int64?) {
    guard contents?.revision == revision else { return }
    // Settings look their values up again, which retries reading.
    if readProblem == nil { generation += 1 }
    readProblem = error
    unsettledSince = nil
  }

  /// Whether a state of the backend in which known contents are gone may pass within a time.
  ///
  /// A program that writes a file may first remove it, or make it empty.
  mutating func mayPass(within time: Duration) -> Bool {
    guard contents?.isEmpty == false else { return false }
    let now = ContinuousClock.now
    let start = unsettledSince ?? now
    unsettledSince = start
    return now - start < time
  }

  /// Notes why contents cannot be used; until others are read, only `load()` tries again.
  mutating func refuse(_ newest: KeyValueContents, _ error: KeyValueStoreError) {
    refused = (newest.revision, error)
  }

  /// Why contents are known not to be usable.
  func refusal(of newest: KeyValueContents) -> KeyValueStoreError? {
    refused?.revision == newest.revision ? refused?.error : nil
  }

  /// Opens, goes on with, or ends a transaction.
  ///
  /// What its thread sees and what others see belong to generations of their own: a value that was
  /// kept for the newest generation is one that every thread sees.
  mutating func setTransaction(_ transaction: OpenTransaction?) {
    self.transaction = transaction
    generation += 1
  }

  var isInTransaction: Bool { transaction != nil }

  /// Makes a change, and tells those who observe it.
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

/// A transaction, as far as its thread has come with it.
struct OpenTransaction: Sendable {
  let thread = ThreadIdentity.current
  var draft: KeyValueDraft
}

extension OpenTransaction? {
  /// The transaction if this thread is in it.
  var ofThisThread: OpenTransaction? {
    guard let self, self.thread == .current else { return nil }
    return self
  }
}
