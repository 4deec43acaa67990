import Concurrency

/// The storage of a ``KeyValueStore``: a file, memory, or an app's own implementation.
///
/// A backend handles keys and encoded values. The store handles types, caching, observation and the
/// time of writes. Several threads may call the methods at once.
public protocol KeyValueBackend: Sendable {
  /// The encoding of the values.
  var format: KeyValueFormat { get }

  /// The store's name in messages, such as the path of its file.
  var name: String { get }

  /// Reads the newest contents.
  ///
  /// - Throws: The reason why the contents are unknown. A store that was never written has contents
  ///   without keys.
  func load() throws(KeyValueStoreError) -> KeyValueContents

  /// Returns whether the contents have changed since a revision.
  ///
  /// The store calls this before each write and each explicit load, so it should be cheap.
  func hasChanged(since revision: Int64) throws(KeyValueStoreError) -> Bool

  /// Changes the contents without losing a concurrent change.
  ///
  /// When this returns, all changes are durable and visible to others; on an error, none is.
  ///
  /// - Parameter changes: Computes the changes from the newest contents. It is called again after a
  ///   concurrent change. If it returns no changes, nothing is written.
  /// - Returns: The contents after the changes.
  /// - Throws: The reason why nothing was changed.
  func update(
    _ changes: (KeyValueContents) -> KeyValueChanges
  ) throws(KeyValueStoreError) -> KeyValueContents

  /// Calls a handler after each change by any process, on any thread, until the result is released.
  ///
  /// The handler may also be called without a change.
  func observe(
    _ handler: @escaping @Sendable () -> Void
  ) throws(KeyValueStoreError) -> KeyValueObservation

  /// Moves unreadable contents aside, so that the store starts empty; nothing is lost.
  ///
  /// - Returns: The contents' new place; nil if they are readable.
  func moveAside() throws(KeyValueStoreError) -> String?
}

// Only files have locks. Other backends limit their waits themselves.
extension KeyValueBackend {
  /// Changes the contents; `patience` limits the wait for other processes, nil means to fail at
  /// once if one holds the lock.
  func update(
    within patience: Duration?, _ changes: (KeyValueContents) -> KeyValueChanges
  ) throws(KeyValueStoreError) -> KeyValueContents {
    if let file = self as? FileBackend { return try file.update(within: patience, changes) }
    return try update(changes)
  }

  /// Moves unreadable contents aside; `patience` is as in `update(within:_:)`.
  func moveAside(within patience: Duration?) throws(KeyValueStoreError) -> String? {
    if let file = self as? FileBackend { return try file.moveAside(within: patience) }
    return try moveAside()
  }
}

/// A backend in memory, which ends with the store.
final class MemoryBackend: KeyValueBackend {
  let format = KeyValueFormat.json
  let name = "a store in memory"

  private let contents = Lock(none, inForkedChild: { none })

  private static let none = KeyValueContents(entries: [], revision: 0)

  func load() -> KeyValueContents { contents.withLock { $0 } }

  func hasChanged(since revision: Int64) -> Bool { contents.withLock { $0.revision } != revision }

  func update(_ changes: (KeyValueContents) -> KeyValueChanges) -> KeyValueContents {
    // The store has one writer at a time, and no other store uses the backend.
    let current = load()
    let changed = current.applying(changes(current), revision: current.revision + 1)
    contents.withLock { $0 = changed }
    return changed
  }

  func observe(_ handler: @escaping @Sendable () -> Void) -> KeyValueObservation {
    KeyValueObservation {}
  }

  func moveAside() -> String? { nil }
}

/// A placeholder for a backend that cannot be created, so that declaring a store never fails.
struct UnreachableBackend: KeyValueBackend {
  let format: KeyValueFormat
  let name = "a store without a place"
  let error: KeyValueStoreError

  func load() throws(KeyValueStoreError) -> KeyValueContents { throw error }

  func hasChanged(since revision: Int64) throws(KeyValueStoreError) -> Bool { throw error }

  func update(
    _ changes: (KeyValueContents) -> KeyValueChanges
  ) throws(KeyValueStoreError) -> KeyValueContents { throw error }

  func observe(
    _ handler: @escaping @Sendable () -> Void
  ) throws(KeyValueStoreError) -> KeyValueObservation { throw error }

  func moveAside() throws(KeyValueStoreError) -> String? { throw error }
}
