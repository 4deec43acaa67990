import Concurrency

/// The storage of a ``KeyValueStore``: a file, memory, or a custom implementation.
///
/// A backend handles keys and encoded values. The store handles types, caching, observation and the
/// timing of writes. Several threads may call the methods concurrently.
public protocol KeyValueBackend: Sendable {
  /// The encoding of the values.
  var format: KeyValueFormat { get }

  /// The store's name in messages, such as the path of its file.
  var name: String { get }

  /// Reads the newest contents.
  ///
  /// - Returns: The contents, which are empty if nothing has been written.
  /// - Throws: The reason why the contents cannot be read.
  func load() throws(KeyValueStoreError) -> KeyValueContents

  /// Returns whether the contents have changed since a revision.
  ///
  /// The store calls this method often, so it should be cheap.
  func hasChanged(since revision: Int64) throws(KeyValueStoreError) -> Bool

  /// Changes the contents without losing a concurrent change.
  ///
  /// When this method returns, all changes are durable and visible to others, and so are values
  /// that were set although they were stored already. If it throws an error other than
  /// ``KeyValueStoreError/uncertain(path:code:)``, no change was made.
  ///
  /// - Parameter changes: Computes the changes from the newest contents. It is called again after a
  ///   concurrent change. If it returns no changes, nothing is written.
  /// - Returns: The contents after the changes.
  /// - Throws: The reason why nothing was changed.
  func update(
    _ changes: (KeyValueContents) -> KeyValueChanges
  ) throws(KeyValueStoreError) -> KeyValueContents

  /// Calls a handler after each change by any process, until the result is released.
  ///
  /// The handler may be called on any thread, and may also be called without a change.
  func observe(
    _ handler: @escaping @Sendable () -> Void
  ) throws(KeyValueStoreError) -> KeyValueObservation

  /// Moves unreadable contents aside without loss, so that the store starts empty.
  ///
  /// - Returns: The new location of the contents, or nil if they are readable.
  func moveAside() throws(KeyValueStoreError) -> String?
}

// Only files have locks. Custom backends have their own time limits.
extension KeyValueBackend {
  /// Changes the contents within a timeout; with nil, fails immediately if the lock is held.
  func update(
    within timeout: Duration?, _ changes: (KeyValueContents) -> KeyValueChanges
  ) throws(KeyValueStoreError) -> KeyValueContents {
    if let file = self as? FileBackend { return try file.update(within: timeout, changes) }
    return try update(changes)
  }

  /// Moves unreadable contents aside, with a timeout as in `update(within:_:)`.
  func moveAside(within timeout: Duration?) throws(KeyValueStoreError) -> String? {
    if let file = self as? FileBackend { return try file.moveAside(within: timeout) }
    return try moveAside()
  }
}

/// A backend that stores keys and values in memory.
final class MemoryBackend: KeyValueBackend {
  let format = KeyValueFormat.json
  let name = "a store in memory"

  private let contents = Lock(empty, inForkedChild: { empty })

  private static let empty = KeyValueContents(entries: [], revision: 0)

  func load() -> KeyValueContents { contents.withLock { $0 } }

  func hasChanged(since revision: Int64) -> Bool { contents.withLock { $0.revision } != revision }

  func update(_ changes: (KeyValueContents) -> KeyValueChanges) -> KeyValueContents {
    // A store has only one writer at a time, and each store has its own memory backend.
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
