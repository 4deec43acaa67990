import Concurrency

/// The storage of a ``KeyValueStore``: a file, memory, or a custom implementation.
///
/// A backend handles keys and encoded values. The store handles types, caching, observation and the
/// timing of writes. Several threads may call the methods concurrently. `StorageTesting` checks
/// that an implementation follows these rules.
public protocol KeyValueBackend: Sendable {
  /// The encoding of the values.
  var format: KeyValueFormat { get }

  /// The store's name in messages, such as the path of its file.
  var name: String { get }

  /// Returns the newest contents, which are empty if nothing has been written.
  func load() throws(KeyValueStoreError) -> KeyValueContents

  /// Returns whether the contents have changed since a revision; the store calls it often.
  func hasChanged(since revision: Int64) throws(KeyValueStoreError) -> Bool

  /// Changes the contents without losing a concurrent change.
  ///
  /// When this method returns, all changes are durable and visible to others, and so are values
  /// that were set although they were stored already. If it throws an error other than
  /// ``KeyValueStoreError/uncertain(path:code:)``, no change was made.
  ///
  /// - Parameters:
  ///   - timeout: The maximum time to wait for other writers; nil to fail immediately. A backend
  ///     that does not wait for them may ignore it.
  ///   - changes: Computes the changes from the newest contents, and a result. It is called again
  ///     after a concurrent change. If it returns no changes or throws, nothing is written.
  /// - Returns: The contents after the changes, and the result of the last call of the closure.
  /// - Throws: The reason why nothing was changed.
  func update<Result>(
    within timeout: Duration?,
    _ changes: (KeyValueContents) throws(KeyValueStoreError) -> (KeyValueChanges, Result)
  ) throws(KeyValueStoreError) -> (KeyValueContents, Result)

  /// Calls a handler once after each change by any process, until the result is released.
  ///
  /// The handler may be called on any thread. It loads the contents, so the change must be visible
  /// by then, and no lock may be held that the other methods need. Changes in quick succession may
  /// share a call. A backend that cannot tell one change from several, such as one of a file, may
  /// also call the handler without a change; the store then reads the contents in vain.
  func observe(
    _ handler: @escaping @Sendable () -> Void
  ) throws(KeyValueStoreError) -> KeyValueObservation

  /// Moves unreadable contents aside without loss, so that the store starts empty.
  ///
  /// - Parameter timeout: The maximum time to wait for writers, as in ``update(within:_:)``.
  /// - Returns: The new location of the contents, or nil if they are readable.
  /// - Throws: The reason why the contents cannot be moved.
  func moveAside(within timeout: Duration?) throws(KeyValueStoreError) -> String?
}

/// A backend that stores its contents in memory.
///
/// With an error, it takes the place of a backend that cannot be created, and always throws.
final class MemoryBackend: KeyValueBackend {
  let format: KeyValueFormat
  var name: String { error == nil ? "a store in memory" : "a store without a location" }
  /// The error that each call throws; nil for a backend that works.
  let error: KeyValueStoreError?
  private let contents = Lock(KeyValueContents(revision: 0))

  init(format: KeyValueFormat = .json, failingWith error: KeyValueStoreError? = nil) {
    self.format = format
    self.error = error
  }

  func load() throws(KeyValueStoreError) -> KeyValueContents {
    if let error { throw error }
    return contents.withLock { $0 }
  }

  func hasChanged(since revision: Int64) throws(KeyValueStoreError) -> Bool {
    try load().revision != revision
  }

  func update<Result>(
    within timeout: Duration?,
    _ changes: (KeyValueContents) throws(KeyValueStoreError) -> (KeyValueChanges, Result)
  ) throws(KeyValueStoreError) -> (KeyValueContents, Result) {
    // A store has only one writer at a time, and each store has its own memory backend.
    let current = try load()
    let (changes, result) = try changes(current)
    if changes.isEmpty { return (current, result) }
    let changed = current.applying(changes, revision: current.revision + 1)
    contents.withLock { $0 = changed }
    return (changed, result)
  }

  func observe(
    _ handler: @escaping @Sendable () -> Void
  ) throws(KeyValueStoreError) -> KeyValueObservation {
    // No other writer exists. An error is that of each access, which reports it.
    KeyValueObservation {}
  }

  func moveAside(within timeout: Duration?) throws(KeyValueStoreError) -> String? {
    _ = try load()
    return nil
  }
}
