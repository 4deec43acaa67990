import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals
import Synchronization
import ValueFormats

/// A backend that stores keys and values in a file.
///
/// Writers lock a second file (`.<name>.lock`) and replace the file; readers need no lock. Changes
/// by other programs show in the file's status.
final class FileBackend: KeyValueBackend {
  /// The unresolved path; each use resolves its symbolic links again.
  let path: String
  let format: KeyValueFormat
  let coding: any StoredFormat
  let fileSystem: FileSystem
  /// The time for which a write waits for a removed file to be created again, and a read for
  /// another writer that may restore the file that it replaced.
  let gracePeriod: Duration
  /// The state, which is not locked during a wait for another process or a call of a closure.
  let state = Lock(FileBackendState())
  /// Whether the backend has looked for temporary files of killed writers.
  private let hasLookedForStaleFiles = Atomic(false)
  /// Whether all temporary files have been removed, and no later write has left a new one.
  let hasRemovedStaleFiles = Atomic(false)

  init(
    path: String, format: KeyValueFormat, coding: (any StoredFormat)? = nil,
    fileSystem: FileSystem = FileSystem(), gracePeriod: Duration = .milliseconds(200)
  ) {
    self.path = path
    self.format = format
    self.coding = coding ?? format.coding
    self.fileSystem = fileSystem
    self.gracePeriod = gracePeriod
  }

  var name: String { path }

  func load() throws(KeyValueStoreError) -> KeyValueContents {
    removeStaleFilesIfFree()
    // If a provisional file were returned, observers could be notified of older values afterwards.
    let deadline = ContinuousClock.now + gracePeriod
    while true {
      let snapshot = try snapshot(at: path)
      if ContinuousClock.now >= deadline { return try snapshot.contents.get() }
      if snapshot.isProvisional {
        usleep(1000)
      } else if try snapshot.isUnchanged(since: status(of: path)) {
        // If the status has changed, the old file may have been restored before the check above.
        return try snapshot.contents.get()
      }
    }
  }

  func hasChanged(since revision: Int64) throws(KeyValueStoreError) -> Bool {
    try state.withLock { state throws(KeyValueStoreError) in
      guard let snapshot = state.snapshot, snapshot.revision == revision else { return true }
      let status = try status(of: path)
      return !snapshot.hasReliableStatus || !snapshot.isUnchanged(since: status)
    }
  }

  /// A remark on the durability of writes in the file's directory; nil if there is none.
  var directoryRemark: String? {
    get throws(KeyValueStoreError) {
      try convertingErrors { () throws(SystemError) -> String? in
        let directory = try fileSystem.resolve(path).parentDirectory
        if try fileSystem.status(of: directory, followingLink: true) == nil { return nil }
        return try fileSystem.synchronizeDirectory(directory)
          ? nil : SystemError.unflushableDirectory
      }
    }
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

/// The cached snapshot of a file, and the history of the file.
struct FileBackendState: Sendable {
  /// The snapshot that was most recently read or written; nil if the file must be read.
  var snapshot: FileSnapshot? {
    didSet {
      let existed = oldValue?.status != nil
      if snapshot?.status != nil { missingSince = nil }
      if existed, let snapshot, snapshot.status == nil { missingSince = .now }
    }
  }
  /// The time at which the file was first found missing after it had existed.
  private(set) var missingSince: ContinuousClock.Instant?
  /// The revision of the newest snapshot; an even number, so that an odd one can precede it.
  private var revision: Int64 = 0
  /// Whether the backend has found or written a file that is not empty.
  var hasSeenContent = false
  /// The revision of the newest snapshot that this backend has flushed to disk; nil for none.
  var flushedRevision: Int64?

  mutating func nextRevision() -> Int64 {
    revision += 2
    return revision
  }
}

extension FileBackend {
  /// Removes the temporary files of killed writers; ignores a failure, because they are harmless.
  func removeStaleFiles(of target: String, _ lock: borrowing FileLock) {
    // After a failure, the next write tries again.
    hasRemovedStaleFiles.store(
      (try? fileSystem.removeTemporaryFiles(of: target, holding: lock)) ?? false,
      ordering: .relaxed)
  }

  /// Removes the temporary files of killed writers at the first read, if the lock is free.
  func removeStaleFilesIfFree() {
    if hasLookedForStaleFiles.exchange(true, ordering: .relaxed)
      || hasRemovedStaleFiles.load(ordering: .relaxed)
    {
      return
    }
    do throws(SystemError) {
      let target = try fileSystem.resolve(path)
      guard try fileSystem.hasTemporaryFiles(of: target),
        let lock = try FileLock.ifFree(at: target.companion(".lock", prefix: "."), in: fileSystem)
      else { return }
      removeStaleFiles(of: target, lock)
    } catch {
      // The next write tries again.
    }
  }

  func moveAside(within timeout: Duration?) throws(KeyValueStoreError) -> String? {
    guard try isDamaged(at: path) else { return nil }
    var target = path
    let lock = try lockFile(at: &target, within: timeout)
    defer { withExtendedLifetime(lock) {} }
    // Another process may have repaired or moved the file in the meantime.
    guard try isDamaged(at: target) else { return nil }
    state.withLock { $0.snapshot = nil }
    let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
    let name = target.companion(".unreadable-\(Date.now.formatted(style))")
    var number = 1
    while true {
      let newPath = number == 1 ? name : "\(name)-\(number)"
      do {
        try fileSystem.renameExclusively(target, to: newPath)
        try fileSystem.synchronizeDirectory(target.parentDirectory)
        return newPath
      } catch {
        if error.code != EEXIST { throw KeyValueStoreError(error) }
      }
      number += 1
    }
  }

  private func isDamaged(at path: String) throws(KeyValueStoreError) -> Bool {
    do throws(KeyValueStoreError) {
      _ = try snapshot(at: path).contents.get()
      return false
    } catch .unreadable, .empty, .tooLarge {
      return true
    }
  }
}
