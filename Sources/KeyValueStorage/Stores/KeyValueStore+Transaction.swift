import Concurrency
import ValueFormats

extension KeyValueStore {
  /// Changes several keys atomically, without a concurrent change in between.
  ///
  /// ```swift
  /// try store.transaction {
  ///   account.balance -= 10
  ///   account.lastPayment = .now
  /// }
  /// ```
  ///
  /// Inside of the closure, on its thread, properties of this store have the newest values of the
  /// file. Only this thread sees its changes until the closure ends. Then all of them are written
  /// at once and durably, regardless of the ``WritePolicy``. Other processes and threads that write
  /// to the store wait meanwhile, so a counter that is changed in transactions is exact.
  ///
  /// A nested transaction is a part of the outer one; if it throws and the outer one continues,
  /// only the inner one's changes are dropped. A transaction inside a change in place of a property
  /// of the store is a programming error, and stops the process.
  ///
  /// - Parameter body: Makes the changes. It is called again if another program, or with some
  ///   backends another process, changed the store meanwhile without the lock. It must not wait for
  ///   another thread that writes to the store.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure, or a ``KeyValueStoreError``; nothing is changed then.
  public func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    if let outer = state.withLock({ $0.transaction.ofThisThread }) {
      do {
        return try body()
      } catch {
        state.withLock { $0.setTransaction(outer) }
        throw error
      }
    }
    refuseInsideChange()
    // Otherwise another thread's first get would wait for the end of the transaction.
    loadIfNeeded()
    return try writing.take {
      var result: Swift.Result<Result, any Error>?
      try write(within: lockTimeout) { draft in
        let open = OpenTransaction(draft: draft)
        state.withLock { $0.setTransaction(open) }
        let outcome = Swift.Result(catching: body)
        let finished = state.withLock { state in
          defer { state.setTransaction(nil) }
          return state.transaction?.draft
        }
        result = outcome
        // A child that was forked inside of the closure has no transaction, and writes nothing.
        guard let finished else { return true }
        draft = finished
        if case .failure = outcome { return false }
        return true
      }
      return try result!.get()
    }
  }
}

/// The keys of a store with changes that are not written yet.
public struct KeyValueDraft: Sendable {
  private let contents: KeyValueContents
  let format: any StoredFormat
  private(set) var changes = KeyValueChanges()

  init(_ contents: KeyValueContents, format: any StoredFormat) {
    self.contents = contents
    self.format = format
  }

  /// The keys that have a value, sorted by their bytes in UTF-8; without `$version`.
  public var keys: [String] { allKeys.filter { $0 != SettingsVersion.key.string } }

  var allKeys: [String] {
    contents.applying(changes, revision: contents.revision).keys
  }

  /// Returns the value of a key; nil if there is none.
  ///
  /// - Throws: ``KeyValueStoreError/undecodable(key:type:reason:)`` if it is of another type.
  public func value<Value: Decodable>(
    of key: String, as type: Value.Type = Value.self
  ) throws -> Value? {
    guard let value = self[StoredKey(key)] else { return nil }
    return try format.value(type, from: value, key: key)
  }

  /// Sets a key.
  ///
  /// - Throws: ``KeyValueStoreError/unencodable(key:type:reason:)``.
  public mutating func set(
    _ value: some Encodable, for key: String
  ) throws {
    self[StoredKey(key)] = ArraySlice(try format.bytes(of: value, key: key))
  }

  /// Removes a key; a missing key is not an error.
  public mutating func remove(_ key: String) {
    self[StoredKey(key)] = nil
  }

  /// Moves a value to another key, replacing its value; does nothing without a value.
  public mutating func rename(_ key: String, to newKey: String) {
    guard key != newKey, let value = self[StoredKey(key)] else { return }
    self[StoredKey(newKey)] = value
    remove(key)
  }

  subscript(key: StoredKey) -> EncodedValue? {
    get {
      if let change = changes[key] { return change }
      return contents[key]
    }
    set { changes[key] = .some(newValue) }
  }

  /// Adds changes that are not written yet.
  mutating func take(_ unsaved: [StoredKey: StoreState.Unsaved]) {
    for (key, change) in unsaved { self[key] = change.value }
  }

  var isEmpty: Bool {
    changes.isEmpty ? contents.isEmpty : allKeys.isEmpty
  }

  /// The changes without those that have no effect.
  var necessaryChanges: KeyValueChanges {
    KeyValueChanges(changes.byKey.filter { contents[$0] != $1 })
  }
}
