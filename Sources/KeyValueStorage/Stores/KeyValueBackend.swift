/// Where a ``KeyValueStore`` keeps its keys: a file, memory, or what an app brings.
///
/// A backend knows keys and encoded values; the types, the caching, the observing and the moment of
/// writing are the store's. Its methods may be called from several threads at once.
public protocol KeyValueBackend: Sendable {
  /// How values are encoded.
  var format: KeyValueFormat { get }

  /// What the store is called in messages, such as the path of its file.
  var name: String { get }

  /// Reads the newest contents.
  ///
  /// - Throws: Why they are not known. A store that was never written has contents
  ///   without keys.
  func load() throws(KeyValueStoreError) -> KeyValueContents

  /// Whether the contents are others by now than at a revision.
  ///
  /// It is asked before each write and each explicit load, so it should be cheap.
  func hasChanged(since revision: Int64) throws(KeyValueStoreError) -> Bool

  /// Changes the contents, so that no change of anybody else is lost.
  ///
  /// All changes are durable and visible to others when this returns, or none ever.
  ///
  /// - Parameter changes: Decides what to change, given the newest contents. It is called again if
  ///   somebody else was faster. If it returns nothing to change, nothing is written.
  /// - Returns: The contents after the changes.
  /// - Throws: Why nothing was changed.
  func update(
    _ changes: (KeyValueContents) -> KeyValueChanges
  ) throws(KeyValueStoreError) -> KeyValueContents

  /// Calls a handler after each change, by whomever, on any thread, until the result is released.
  ///
  /// It may be called more often than that.
  func observe(
    _ handler: @escaping @Sendable () -> Void
  ) throws(KeyValueStoreError) -> KeyValueObservation

  /// Puts aside what cannot be read, so that the store begins anew; nothing of it is lost.
  ///
  /// - Returns: Where it is now; nil if all can be read.
  func moveAside() throws(KeyValueStoreError) -> String?
}

// Only files have locks. Other backends end their waits by rules of their own.
extension KeyValueBackend {
  /// Changes the contents; `patience` is how long to wait for other processes, nil to fail at once
  /// if one has the lock.
  func update(
    within patience: Duration?, _ changes: (KeyValueContents) -> KeyValueChanges
  ) throws(KeyValueStoreError) -> KeyValueContents {
    if let file = self as? FileBackend { return try file.update(within: patience, changes) }
    return try update(changes)
  }

  /// Puts aside what cannot be read; `patience` is as of `update(within:_:)`.
  func moveAside(within patience: Duration?) throws(KeyValueStoreError) -> String? {
    if let file = self as? FileBackend { return try file.moveAside(within: patience) }
    return try moveAside()
  }
}
