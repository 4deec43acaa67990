import Concurrency
import StorageInternals
import ValueFormats

/// A backend that stores keys and values in a file.
///
/// Writers lock a second file (`.<name>.lock`) and replace the file atomically and durably. Readers
/// need no lock. Changes by other programs are detected by the file's status, whether the program
/// replaced the file or overwrote it.
final class FileBackend: KeyValueBackend {
  /// The unresolved path; each use resolves its symbolic links again.
  let path: String
  let format: KeyValueFormat
  let storedFormat: any StoredFormat
  let fileSystem: FileSystem
  /// The time that a write waits for a removed file to be created again.
  let settlingTime: Duration
  /// Never locked while waiting for another process or calling a store's closure.
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
    try convertingErrors { () throws(SystemError) in
      let watch = Lock<PathWatch?>(try PathWatch(path: path, in: fileSystem, handler: handler))
      return KeyValueObservation(
        error: { watch.withLock { $0?.problem }.map(KeyValueStoreError.init) },
        end: { watch.withLock { $0.take() }?.stop() })
    }
  }
}
