import Concurrency
import StorageInternals
import ValueFormats

/// A backend with keys and values in a file.
///
/// Writers exclude each other by a lock on a file beside it (`.<name>.lock`), and replace the file
/// in one durable step; readers need no lock. The file's status reveals changes by other programs,
/// whether by replacing or by overwriting it.
final class FileBackend: KeyValueBackend {
  /// The path as given; each use resolves its symbolic links again.
  let path: String
  let format: KeyValueFormat
  let storedFormat: any StoredFormat
  let fileSystem: FileSystem
  /// The time that a write waits for a removed file to be created again.
  let settlingTime: Duration
  /// Held for single steps, never while waiting for another process or calling a closure.
  let state = Lock(FileBackendState(), inForkedChild: { FileBackendState() })

  init(
    path: String, format: KeyValueFormat, storedFormat: (any StoredFormat)? = nil,
    fileSystem: FileSystem = FileSystem(), settlingTime: Duration = .milliseconds(200)
  ) {
    self.path = path
    self.format = format
    self.storedFormat = storedFormat ?? format.coding
    self.fileSystem = fileSystem
    self.settlingTime = settlingTime
  }

  var name: String { path }

  func load() throws(KeyValueStoreError) -> KeyValueContents {
    removeStaleFilesIfFree()
    return try document(at: path).contents
  }

  func hasChanged(since revision: Int64) throws(KeyValueStoreError) -> Bool {
    try state.withLock { state throws(KeyValueStoreError) in
      guard let document = state.document, document.revision == revision else { return true }
      return try !document.isCurrent(for: status(of: path))
    }
  }

  func update(
    _ changes: (KeyValueContents) -> KeyValueChanges
  ) throws(KeyValueStoreError) -> KeyValueContents {
    try update(within: FileLock.defaultTimeout, changes)
  }

  func moveAside() throws(KeyValueStoreError) -> String? {
    try moveAside(within: FileLock.defaultTimeout)
  }

  func observe(
    _ handler: @escaping @Sendable () -> Void
  ) throws(KeyValueStoreError) -> KeyValueObservation {
    try system { () throws(SystemError) in
      let watch = Lock<PathWatch?>(try PathWatch(path: path, in: fileSystem, handler: handler))
      return KeyValueObservation(
        problem: { watch.withLock { $0?.problem }.map(KeyValueStoreError.init) },
        end: { watch.withLock { $0.take() }?.stop() })
    }
  }
}

/// The cached state of a file backend.
struct FileBackendState: Sendable {
  /// The document that was read or written last; nil if it is unknown.
  var document: FileDocument? {
    didSet {
      let wasThere = oldValue?.status != nil
      if document?.status != nil { missingSince = nil }
      if wasThere, let document, document.status == nil { missingSince = .now }
    }
  }
  /// The time at which an existing file was first found missing.
  private(set) var missingSince: ContinuousClock.Instant?
  /// The revision of the newest document.
  var revision: Int64 = 0
  /// Whether the file was ever seen with content.
  var hasSeenContent = false
  /// Whether the backend has looked for temporary files of killed writers.
  var hasLookedForStaleFiles = false
  /// Whether those files were removed, and none was left since then.
  var hasRemovedStaleFiles = false
  /// Whether a write failed after its content may have been in place, so that the content may not
  /// survive a power failure.
  var isUncertain = false

  mutating func nextRevision() -> Int64 {
    revision += 1
    return revision
  }
}

/// Runs system calls, and converts their errors to those of the store.
func system<Result: ~Copyable>(
  _ body: () throws(SystemError) -> Result
) throws(KeyValueStoreError) -> Result {
  do {
    return try body()
  } catch {
    throw KeyValueStoreError(error)
  }
}

// Stale temporary files do no harm: a failure to find or remove them is not reported, and the next
// update retries.

extension FileBackend {
  /// Removes the temporary files of killed writers, at the first update.
  func removeStaleFilesOnce(_ turn: borrowing FileLockScope) {
    if state.withLock({ $0.hasRemovedStaleFiles }) { return }
    do throws(SystemError) {
      try fileSystem.removeLeftovers(of: turn.target, holding: turn.lock)
      state.withLock { $0.hasRemovedStaleFiles = true }
    } catch {
      // See above.
    }
  }

  /// Removes the temporary files of killed writers, if there are any at the first read.
  ///
  /// A read waits for no writer; a running writer removes its own files.
  func removeStaleFilesIfFree() {
    let isDone = state.withLock { state in
      defer { state.hasLookedForStaleFiles = true }
      return state.hasLookedForStaleFiles || state.hasRemovedStaleFiles
    }
    if isDone { return }
    do throws(SystemError) {
      let target = try fileSystem.resolve(path)
      guard try fileSystem.hasLeftovers(of: target),
        let lock = try FileLock.ifFree(at: FileLockScope.lockPath(for: target), in: fileSystem)
      else { return }
      removeStaleFilesOnce(FileLockScope(target: target, lock: lock))
    } catch {
      // See above.
    }
  }
}
