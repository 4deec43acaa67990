import Concurrency
import ValueFormats

// An access may wait for the disk or for another process. These methods wait on a thread of the
// store instead of the task's thread. Their closures cannot suspend, and therefore use the
// synchronous methods.

extension KeyValueStore {
  /// Reads the changes of other processes, without blocking the task's thread.
  ///
  /// Does not wait for a writer, nor for the asynchronous writes of this store. Cancelling the task
  /// has no effect.
  ///
  /// - Throws: ``KeyValueStoreError``, if the newest values cannot be read. In that case,
  ///   properties retain the values last read.
  public func load() async throws { try await reader.run { try self.load() } }

  /// Returns the keys that have a value, sorted by their UTF-8 bytes, without blocking the task's
  /// thread.
  ///
  /// - Throws: ``KeyValueStoreError``, if the newest keys cannot be read.
  public func keys() async throws -> [String] { try await reader.run { try self.keys() } }

  /// Returns the keys, and the members of stored structures, that no property reads, without
  /// blocking the task's thread.
  ///
  /// - Throws: ``KeyValueStoreError``, if the newest values cannot be read.
  public func unreadKeys() async throws -> [UnreadKey] {
    try await reader.run { try self.unreadKeys() }
  }

  /// Returns the value of a key, without blocking the task's thread; nil if there is none.
  ///
  /// - Throws: ``KeyValueStoreError``, if the newest values cannot be read, or
  ///   ``KeyValueStoreError/undecodable(_:)``, if the value has another type.
  public func value<Value: Decodable>(
    of key: String, as type: Value.Type = Value.self
  ) async throws -> Value? {
    try await load()
    return try loadedValue(of: key)
  }
}

extension KeyValueStore {
  /// Sets a key, and returns when the value is on disk, without blocking the task's thread.
  ///
  /// Asynchronous writes of a store happen in the order of the calls. Consecutive calls that set or
  /// remove keys while another write is in progress share one write. Cancelling the task has no
  /// effect, so that a cancelled task can still save its state.
  ///
  /// - Precondition: The calling thread is not in an in-place change of a property of this store.
  /// - Throws: ``KeyValueStoreError``, if the value cannot be encoded or written. In that case,
  ///   nothing changes.
  public func set(_ value: some Encodable, for key: String) async throws {
    await loadLayers()
    try await save(StoredKey(key), try encode(value, for: key))
  }

  /// Removes a key, in the same way as the asynchronous `set(_:for:)` sets one; a missing key is
  /// not an error.
  ///
  /// - Throws: ``KeyValueStoreError``, if the store cannot be written. In that case, nothing
  ///   changes.
  public func remove(_ key: String) async throws { try await save(StoredKey(key), nil) }

  /// Writes all unsaved changes, and returns when they are on disk, without blocking the task's
  /// thread.
  ///
  /// The order and the effect of cancellation are those of the asynchronous `set(_:for:)`.
  ///
  /// - Precondition: The calling thread is not in an in-place change of a property of this store.
  /// - Throws: ``KeyValueStoreError``, if the write fails. The next write retries it.
  public func synchronize() async throws { try await writeInOrder { try self.synchronize() } }

  /// Changes several keys atomically, and returns when the changes are on disk, without blocking
  /// the task's thread.
  ///
  /// The closure runs on a thread of the store, as part of the calling task: it sees the task-local
  /// values, and can check `Task.isCancelled`. Otherwise, cancelling the task has no effect. The
  /// closure uses the synchronous methods of the store. The order is that of the asynchronous
  /// `set(_:for:)`.
  ///
  /// - Precondition: The calling thread is not in an in-place change of a property of this store.
  /// - Parameter body: Makes the changes, as in the synchronous method; may be called again.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure, or a ``KeyValueStoreError``. In that case, nothing
  ///   changes.
  public func transaction<Result: Sendable>(
    _ body: @Sendable () throws -> Result
  ) async throws -> Result {
    try await writeInOrder { try self.transaction(body) }
  }

  /// Moves an unreadable file aside, so that the store starts empty, and writes the unsaved
  /// changes, without blocking the task's thread.
  ///
  /// - Precondition: The calling thread is not in an in-place change of a property of this store.
  /// - Returns: The new path of the file, in the same directory; nil if the file is readable.
  /// - Throws: ``KeyValueStoreError``, if the file cannot be renamed or the changes cannot be
  ///   written.
  @discardableResult
  public func moveAsideUnreadableFile() async throws -> String? {
    try await writeInOrder { try self.moveAsideUnreadableFile() }
  }
}

/// The saves of tasks that are written together.
///
/// `@unchecked`: guarded by the lock of `KeyValueStore.openBatch`, and constant after the batch has
/// been removed from there.
final class SaveBatch: @unchecked Sendable {
  fileprivate(set) var saves: [KeyValueStore.Saves.Pending] = []
}

extension KeyValueStore {
  /// Sets or removes a key, and returns when the change is on disk.
  func save(_ key: StoredKey, _ value: EncodedValue?) async throws(KeyValueStoreError) {
    requireNoInPlaceChange()
    if value != nil { try requireNotOverridden(key) }
    let save = Saves.Pending(state.withLock { $0.beginSave(of: key, value) })
    let batch = openBatch.withLock { open in
      let batch = open ?? SaveBatch()
      batch.saves.append(save)
      open = batch
      return batch
    }
    try await writer.run { () throws(KeyValueStoreError) in
      // The first save of a batch writes all of them. If no thread can be created, the others may
      // run at the same time, and wait for the lock.
      try writeLock.withLock { () throws(KeyValueStoreError) in
        if save.outcome == nil {
          close(batch)
          write(batch.saves)
        }
        try save.outcome!.get()
      }
    }
  }

  fileprivate func loadLayers() async {
    if layering != nil { await reader.run(loadIfNeeded) }
  }

  /// Runs a closure that writes, after all earlier asynchronous writes.
  private func writeInOrder<Result: Sendable>(
    _ body: @Sendable () throws -> Result
  ) async throws -> Result {
    requireNoInPlaceChange()
    // Later saves must not join a batch that is written before.
    openBatch.withLock { $0 = nil }
    return try await writer.run(body)
  }

  private func close(_ batch: SaveBatch) {
    openBatch.withLock { open in
      if open === batch { open = nil }
    }
  }
}

extension Setting {
  func load() async throws(KeyValueStoreError) -> AnyBox {
    try await store.reader.run { () throws(KeyValueStoreError) in try self.load() }
  }

  func save(_ value: some Codable & Sendable) async throws(KeyValueStoreError) {
    await store.loadLayers()
    let encoded = try encode(value)
    try await store.save(key, encoded)
    didSave(value, encoded)
  }
}

extension StoredValue {
  /// Reads and returns the newest value, without blocking the task's thread; returns the default
  /// value if none is stored.
  ///
  /// Does not wait for a writer. Cancelling the task has no effect.
  ///
  /// - Throws: ``KeyValueStoreError``, if the store cannot be read, or
  ///   ``KeyValueStoreError/undecodable(_:)``, if the value has another type.
  public func load() async throws -> Value { Self.value(try await setting.load()) }

  /// Stores a value, and returns when it is on disk, without blocking the task's thread.
  ///
  /// The order and the effect of cancellation are those of the asynchronous
  /// `KeyValueStore.set(_:for:)`.
  ///
  /// - Precondition: The calling thread is not in an in-place change of a property of the store.
  /// - Throws: ``KeyValueStoreError``, if the value cannot be encoded or written. In that case,
  ///   nothing changes.
  public func save(_ value: Value) async throws { try await setting.save(value) }
}
