import Concurrency
import ValueFormats

/// The storage of a ``KeyValueStore``: a file, memory, or a custom implementation.
///
/// A backend handles keys and encoded values. The store handles types, caching, observation and the
/// timing of writes. Several threads may call the methods concurrently.
///
/// A method that fails throws, and never answers with old or empty contents instead:
///
/// - ``KeyValueStoreError/unavailable(_:)`` if the storage cannot be reached,
/// - ``KeyValueStoreError/denied(_:)`` if it is reached, but does not permit the access,
/// - ``KeyValueStoreError/readOnly(_:)`` for a write, if only reads are possible,
/// - ``KeyValueStoreError/tooLarge(path:limit:)`` for a write, if the contents exceed a limit; the
///   store then writes changes that it had combined one by one,
/// - ``KeyValueStoreError/unreadable(_:)`` if the stored contents are damaged,
/// - ``KeyValueStoreError/uncertain(_:)`` for a write, if its outcome is unknown.
///
/// `KeyValueBackendConformance` in the module `StorageTesting` checks that failures are thrown, and
/// the rules of the methods. It does not check which error is thrown, nor an unknown outcome.
public protocol KeyValueBackend: Sendable {
  /// The encoding of the values.
  ///
  /// A backend stores the bytes of values as they are, under any string as the key. Keys are equal
  /// if their UTF-8 bytes are.
  var format: KeyValueFormat { get }

  /// The store's name in messages, such as the path of its file.
  var name: String { get }

  /// Reads the newest contents.
  ///
  /// - Returns: The contents, which are empty if nothing has been written. Newer contents have a
  ///   higher revision.
  /// - Throws: The reason why the contents cannot be read.
  func load() throws(KeyValueStoreError) -> KeyValueContents

  /// Reads the newest contents, given older contents of this backend.
  ///
  /// The default implementation returns `load()`. A backend that can tell which keys have changed
  /// since the older contents' revision reads only these keys, and returns
  /// ``KeyValueContents/applying(_:revision:)`` of the older contents. The store then compares only
  /// a few of the other keys, so that a change takes about the same time among any number of keys.
  ///
  /// - Parameter contents: Contents that this backend has returned.
  /// - Returns: The same contents as `load()`.
  /// - Throws: The reason why the contents cannot be read.
  func load(updating contents: KeyValueContents) throws(KeyValueStoreError) -> KeyValueContents

  /// Returns whether the contents have changed since a revision.
  ///
  /// It may return true without a change, but never false after one. The store calls this method
  /// often, so it should be cheap.
  ///
  /// - Throws: The reason why it is unknown.
  func hasChanged(since revision: Int64) throws(KeyValueStoreError) -> Bool

  /// Changes the contents without losing a concurrent change.
  ///
  /// When this method returns, all changes are durable and visible to others. If it throws, no
  /// change was made, unless the error is ``KeyValueStoreError/uncertain(_:)``: then the changes
  /// were made completely or not at all, and later calls of `load()` and
  /// ``hasChanged(since:)`` tell which.
  ///
  /// - Parameter changes: Computes the changes from the newest contents. It is called again after a
  ///   concurrent change. If it returns no changes, nothing is written.
  /// - Returns: The contents after the changes.
  /// - Throws: The reason why nothing was changed, or why that is unknown.
  func update(
    _ changes: (KeyValueContents) -> KeyValueChanges
  ) throws(KeyValueStoreError) -> KeyValueContents

  /// Calls a handler after each change by any process, until the result is released.
  ///
  /// The change is visible to the handler, which may use the backend. The handler is called on any
  /// thread, but not within a call of another method of this protocol. It may be
  /// called once for several changes. Otherwise one call for each change is expected, unless the
  /// system reports a change in several events, as it does for files. The conformance suite is then
  /// told by `notifiesOnce: false`.
  ///
  /// - Throws: The reason why changes cannot be observed. The store then calls
  ///   ``hasChanged(since:)`` at each access.
  func observe(
    _ handler: @escaping @Sendable () -> Void
  ) throws(KeyValueStoreError) -> KeyValueObservation

  /// Moves unreadable contents aside without loss, so that the store starts empty.
  ///
  /// - Returns: The new location of the contents, or nil if they are readable.
  /// - Throws: The reason why they cannot be moved or examined.
  func moveAside() throws(KeyValueStoreError) -> String?
}

extension KeyValueBackend {
  /// Returns `load()`, for a backend that cannot tell which keys have changed.
  public func load(
    updating contents: KeyValueContents
  ) throws(KeyValueStoreError) -> KeyValueContents { try load() }
}

// Only files have positions and locks. Custom backends have their own time limits.
extension KeyValueBackend {
  /// Changes the contents within a timeout; with nil, fails immediately if the lock is held.
  func update(
    within timeout: Duration?, _ changes: (KeyValueContents) -> KeyValueChanges
  ) throws(KeyValueStoreError) -> KeyValueContents {
    if let file = self as? FileBackend { return try file.update(within: timeout, changes) }
    if let layers = self as? LayeredBackend { return try layers.update(within: timeout, changes) }
    return try update(changes)
  }

  /// Returns the position of a byte of a key's value; nil if it is unknown.
  func position(ofByte offset: Int, in value: EncodedValue, of key: StoredKey) -> TextPosition? {
    (self as? FileBackend)?.position(ofByte: offset, in: value, of: key)
  }

  /// Returns the positions of paths in a key's value, or of the innermost containers that exist;
  /// nil for each position that is unknown.
  func positions(
    of paths: [ValuePath], in value: EncodedValue, of key: StoredKey
  ) -> [TextPosition?] {
    if let file = self as? FileBackend { return file.positions(of: paths, in: value, of: key) }
    return Array(repeating: nil, count: paths.count)
  }

  /// Returns the description of a value that could not be decoded, with its position.
  func undecodable(
    _ failure: DecodingFailure, _ encoded: EncodedValue, of key: StoredKey
  ) -> KeyValueStoreError {
    if let layers = self as? LayeredBackend {
      return layers.undecodableValue(failure, encoded, of: key)
    }
    let position: TextPosition?
    if let offset = failure.offset {
      position = self.position(ofByte: offset, in: encoded, of: key)
    } else {
      position = positions(of: [failure.path], in: encoded, of: key)[0]
    }
    return .undecodable(
      UndecodableValue(failure, key: key.string, store: name, at: position))
  }

  /// Moves unreadable contents aside, with a timeout as in `update(within:_:)`.
  func moveAside(within timeout: Duration?) throws(KeyValueStoreError) -> String? {
    if let file = self as? FileBackend { return try file.moveAside(within: timeout) }
    if let layers = self as? LayeredBackend { return try layers.moveAside(within: timeout) }
    return try moveAside()
  }
}

/// A backend that stores keys and values in memory.
final class MemoryBackend: KeyValueBackend {
  let format = KeyValueFormat.json
  let name = "a store in memory"

  private struct State: Sendable {
    var contents = KeyValueContents(entries: [], revision: 0)
    var observers = Observers<@Sendable () -> Void>()
  }

  private let state = Lock(State(), inForkedChild: { State() })
  /// The thread that calls the observers.
  private let thread = SerialThread()

  func load() -> KeyValueContents { state.withLock { $0.contents } }

  func hasChanged(since revision: Int64) -> Bool { load().revision != revision }

  func update(_ changes: (KeyValueContents) -> KeyValueChanges) -> KeyValueContents {
    while true {
      let current = load()
      // Outside the lock, because the closure is the app's code during a transaction.
      let changes = changes(current)
      if changes.isEmpty { return current }
      let changed = current.applying(changes, revision: current.revision + 1)
      let observers = state.withLock { state -> [Observer<@Sendable () -> Void>]? in
        guard state.contents.revision == current.revision else { return nil }
        state.contents = changed
        return state.observers.all
      }
      guard let observers else { continue }
      if !observers.isEmpty {
        thread.run { for observer in observers { observer.handler?() } }
      }
      return changed
    }
  }

  func observe(_ handler: @escaping @Sendable () -> Void) -> KeyValueObservation {
    let observer = Observer(handler)
    state.withLock { $0.observers.add(observer) }
    return KeyValueObservation(
      end: observer.end { [state] observer in state.withLock { $0.observers.remove(observer) } })
  }

  func moveAside() -> String? { nil }
}
