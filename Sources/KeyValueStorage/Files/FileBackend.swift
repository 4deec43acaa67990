import StorageInternals

/// Keys and values in a file.
///
/// Writers exclude each other by a lock on a file beside it (`.<name>.lock`), and replace the file
/// in one durable step; readers need no lock. Another program's file, put in place or written over
/// by whatever means, is noticed by its status.
final class FileBackend: KeyValueBackend {
  /// The path as it was given; symbolic links in it are followed anew at each use.
  let path: String
  let format: KeyValueFormat
  let storedFormat: any StoredFormat
  let fileSystem: FileSystem
  /// How long a write waits for a file to come back that was removed just before.
  let settlingTime: Duration
  /// Held for single steps, and never while this waits for another process or calls a closure.
  private let state = Lock(FileBackendState(), inForkedChild: { FileBackendState() })
  private let observers: FileObservers

  init(
    path: String, format: KeyValueFormat, storedFormat: (any StoredFormat)? = nil,
    fileSystem: FileSystem = FileSystem(), settlingTime: Duration = .milliseconds(200)
  ) {
    self.path = path
    self.format = format
    self.storedFormat = storedFormat ?? format.coding
    self.fileSystem = fileSystem
    self.settlingTime = settlingTime
    observers = FileObservers(path: path, fileSystem: fileSystem)
  }

  var name: String { path }

  func load() throws(KeyValueStoreError) -> KeyValueContents {
    sweepIfLittered()
    return try document(at: path).contents.get()
  }

  func hasChanged(since revision: Int64) throws(KeyValueStoreError) -> Bool {
    try withState { state throws(KeyValueStoreError) in
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
    try observers.add(handler)
  }

  func withState<Result: Sendable>(
    _ body: (inout FileBackendState) throws(KeyValueStoreError) -> Result
  ) throws(KeyValueStoreError) -> Result {
    try state.withLock { state throws(KeyValueStoreError) in try body(&state) }
  }

  func withState<Result: Sendable>(_ body: (inout FileBackendState) -> Result) -> Result {
    state.withLock { state in body(&state) }
  }
}

/// What a file backend knows of its file.
struct FileBackendState: Sendable {
  /// What was read or written last; nil where that is not known.
  var document: FileDocument? {
    didSet {
      let wasThere = oldValue?.status != nil
      if document?.status != nil { missingSince = nil }
      if wasThere, let document, document.status == nil { missingSince = .now }
    }
  }
  /// Since when the file is known to be missing that was there before.
  private(set) var missingSince: ContinuousClock.Instant?
  /// That of the newest document.
  var revision: Int64 = 0
  /// Whether the file was ever there with a byte in it.
  var hasSeenContent = false
  /// Whether temporary files of killed writers were looked for.
  var hasLookedForLitter = false
  /// Whether they were removed, and none was left since then.
  var isSwept = false
  /// Whether a write failed when its content may have been in place already, so that it may not
  /// outlast a power cut.
  var isUncertain = false

  mutating func nextRevision() -> Int64 {
    revision += 1
    return revision
  }
}

/// Runs system calls; their errors become those of the store.
func system<Result: ~Copyable>(
  _ body: () throws(SystemError) -> Result
) throws(KeyValueStoreError) -> Result {
  do {
    return try body()
  } catch {
    throw KeyValueStoreError(error)
  }
}
