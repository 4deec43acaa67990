import Concurrency
import ValueFormats

extension KeyValueStore {
  /// Changes several keys atomically, and returns when the changes are on disk.
  ///
  /// ```swift
  /// try store.transaction {
  ///   account.balance -= 10
  ///   account.lastPayment = .now
  /// }
  /// ```
  ///
  /// Within the closure, on its thread, properties of this store have the newest values of the
  /// file. Only this thread sees its changes until the closure ends. Then all changes are written
  /// together, regardless of the ``WritePolicy``. Meanwhile, other processes and threads that write
  /// to the store wait, so a counter that is only changed in transactions is exact.
  ///
  /// A nested transaction is part of the outer one. If it throws and the outer transaction
  /// continues, only the changes of the nested transaction are discarded.
  ///
  /// - Precondition: The calling thread is not in an in-place change of a property of this store,
  ///   except within a transaction.
  /// - Parameter body: Makes the changes. It is called again if another program changed the file
  ///   without the lock, or if a custom backend detects a concurrent change. It must not wait for
  ///   another thread that writes to the store.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure, or a ``KeyValueStoreError``. In that case, nothing
  ///   changes.
  public func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    if let outer = state.withLock({ $0.transaction.ofThisThread }) {
      do {
        return try body()
      } catch {
        state.withLock { $0.setTransaction(outer) }
        throw error
      }
    }
    requireNoInPlaceChange()
    // Otherwise another thread's first get would wait for the end of the transaction.
    loadIfNeeded()
    return try writing.withLock {
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
        // A child that was forked by the closure has no transaction, and writes nothing.
        guard let finished else { return true }
        draft = finished
        if case .failure = outcome { return false }
        return true
      }
      return try result!.get()
    }
  }
}

/// The current state of a transaction.
struct OpenTransaction: Sendable {
  let thread = ThreadIdentity.current
  var draft: KeyValueDraft
}

extension OpenTransaction? {
  /// The transaction, if the calling thread is in it.
  var ofThisThread: OpenTransaction? {
    guard let self, self.thread == .current else { return nil }
    return self
  }
}

/// The keys and values of a store, with changes that are not yet written.
public struct KeyValueDraft: Sendable {
  private let contents: KeyValueContents
  let format: any StoredFormat
  private(set) var changes = KeyValueChanges()

  init(_ contents: KeyValueContents, format: any StoredFormat) {
    self.contents = contents
    self.format = format
  }

  /// The keys that have a value, sorted by their UTF-8 bytes; without `$version`.
  public var keys: [String] { allKeys.filter { $0 != SettingsVersion.key.string } }

  var allKeys: [String] { contents.applying(changes, revision: contents.revision).keys }

  /// Returns the value of a key; nil if there is none.
  ///
  /// - Throws: ``KeyValueStoreError/undecodable(key:type:reason:)``, if the value has another type.
  public func value<Value: Decodable>(
    of key: String, as type: Value.Type = Value.self
  ) throws -> Value? {
    guard let value = self[StoredKey(key)] else { return nil }
    return try format.value(type, from: value, key: key)
  }

  /// Sets a key.
  ///
  /// - Throws: ``KeyValueStoreError/unencodable(key:type:reason:)``.
  public mutating func set(_ value: some Encodable, for key: String) throws {
    self[StoredKey(key)] = ArraySlice(try format.bytes(of: value, key: key))
  }

  /// Removes a key; a missing key is not an error.
  public mutating func remove(_ key: String) { self[StoredKey(key)] = nil }

  /// Moves the value of a key to another key, whose value it replaces; does nothing if there is no
  /// value.
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

  /// Adds unsaved changes of the store.
  mutating func add(_ unsaved: [StoredKey: StoreState.Unsaved]) {
    for (key, change) in unsaved { self[key] = change.value }
  }

  var isEmpty: Bool { changes.isEmpty ? contents.isEmpty : allKeys.isEmpty }

  /// The changes that differ from the stored values.
  var effectiveChanges: KeyValueChanges {
    KeyValueChanges(changes.byKey.filter { contents[$0] != $1 })
  }
}
