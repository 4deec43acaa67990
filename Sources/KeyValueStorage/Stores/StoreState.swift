import Dispatch
import StorageInternals

/// What a store knows, and what it has yet to write.
struct StoreState: Sendable {
  /// A change that is not written yet.
  struct Unsaved: Sendable {
    let value: EncodedValue?
    /// Tells it from a later change of the same key.
    let number: Int
  }

  /// The newest contents that could be read; nil before the first.
  private(set) var contents: KeyValueContents?
  /// Why newer contents, if there are some, could not be read.
  private(set) var readProblem: KeyValueStoreError?
  private(set) var unsaved: [StoredKey: Unsaved] = [:]
  /// The number of the change that was made last, saved or not.
  private var lastChange = 0
  /// Why what is unsaved could not be written.
  var writeProblem: KeyValueStoreError?
  /// Whether what is unsaved would be written by now if it could be.
  var isOverdue = false
  /// Another one after each change that somebody may see.
  private(set) var generation = 0
  /// The transaction that is under way.
  private(set) var transaction: OpenTransaction?
  var observers = KeyObservers()

  /// The value of a key as everybody sees it who is not in a transaction.
  subscript(key: StoredKey) -> EncodedValue? {
    if !unsaved.isEmpty, let unsaved = unsaved[key] { return unsaved.value }
    return contents?[key]
  }

  /// The value of a key as this thread sees it.
  func visible(_ key: StoredKey) -> EncodedValue? {
    transaction.ofThisThread.map { $0.draft[key] } ?? self[key]
  }

  func isUnsaved(_ key: StoredKey) -> Bool { unsaved[key] != nil }

  /// Sets or removes a key, for this thread's transaction or for everybody.
  ///
  /// Returns the generation in which everybody sees it; nil in a transaction.
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

  /// Notes why reading failed, unless another thread has read newer contents than were known before.
  mutating func fail(_ error: KeyValueStoreError, since revision: Int64?) {
    if contents?.revision == revision { readProblem = error }
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
