import CLibrary
import Concurrency
import StorageInternals
import Synchronization

/// A record log in one append-only file.
///
/// A write is one append and one `fdatasync` while a separate lock file is locked. The append mostly
/// replaces zeros that an earlier one has reserved. Readers need no lock, because a new file replaces
/// the old one by a rename, and a digest validates each record.
struct FileRecordLog: RecordLog {
  let path: String
  let directory: String
  let lockPath: String
  /// The path of a file that reserves disk space, for removals on a full disk.
  let reservePath: String
  let cipher: any SecretCipher
  let fileSystem: FileSystem
  let lockTimeout: LockTimeout
  /// The maximum size of the file, in bytes, because the whole file is read into memory.
  var sizeLimit = 1 << 30
  /// The file whose directory entry this object has flushed: its device and inode, and its header
  /// and first digest, which differ in every replacement.
  private let namedFile = Lock<(SIMD2<UInt64>, [UInt8])?>(nil)
  /// The file that this object has read last, which stays open for checks of its end.
  let openLog = Lock<OpenLog?>(nil)

  init(
    path: String, cipher: any SecretCipher, fileSystem: FileSystem = FileSystem(),
    lockTimeout: LockTimeout = LockTimeout()
  ) {
    (self.path, directory) = (path, path.parentDirectory)
    (lockPath, reservePath) = (path.companion(".lock"), path.companion(".reserve"))
    (self.cipher, self.fileSystem, self.lockTimeout) = (cipher, fileSystem, lockTimeout)
  }

  var name: String { path }

  func checkSize(_ status: FileStatus) throws(SecretStoreError) {
    guard status.size > sizeLimit else { return }
    throw .corrupted(
      "\(path) has \(status.size) bytes, but at most \(sizeLimit) are allowed: it was tampered with"
    )
  }

  /// Throws if a write would make the file too large to be read again.
  func checkGrowth(to size: Int, by count: Int) throws(SecretStoreError) {
    // The last 1/16 is reserved for small writes, so that removals can empty a full vault.
    let limit = count > sizeLimit >> 14 ? sizeLimit - sizeLimit >> 4 : sizeLimit
    guard size > limit else { return }
    throw .invalid(
      """
      \(path) would have \(size) bytes, but at most \(limit) are allowed: remove items, then compact
      """)
  }

  func withWriterLock<Result>(
    _ body: (LogAppend) throws(SecretStoreError) -> Result
  ) throws(SecretStoreError) -> Result {
    let lock = try acquireWriteLock()
    return try body { records, position throws(SecretStoreError) in
      try append(records, after: position, holding: lock)
    }
  }

  private func append(
    _ records: [LogRecord], after position: LogPosition, holding lock: borrowing FileLock
  ) throws(SecretStoreError) -> LogPosition {
    guard let file = try open(at: position, O_RDWR) else {
      return try create(records, holding: lock)
    }
    var frames: [UInt8] = []
    for record in records { Frame.encode(record, into: &frames) }
    let end = position.size + frames.count
    try checkGrowth(to: end, by: frames.count)
    let reserves = file.isOverwrittenInPlace
    let isReserve = reserves && (1...Self.zerosLimit).contains(position.reserveCount)
    if position.size < position.fileSize, !isReserve {
      try mapErrors(file.truncate(to: position.size))
      // A power failure must not leave whole records of the truncated part behind the new ones.
      try mapErrors(file.synchronize())
    }
    do throws(SystemError) {
      if isReserve, frames.count <= position.reserveCount {
        // The flush of such a write is fast, because the file system need not change its own data.
        try file.write(frames, at: position.size)
      } else {
        try write(frames, at: position.size, reservingZeros: reserves, in: file)
      }
      try file.synchronizeData()
      let status = try file.status()
      fillReserve(holding: lock)
      let sample = frames.isEmpty ? position.sample.atEnd : LogSample(endingWith: frames)
      return LogPosition(end, status, sample)
    } catch {
      // The write is not acknowledged. If truncating fails too, a part or all of it remains.
      do throws(SystemError) { try file.truncate(to: position.size) } catch {}
      throw SecretStoreError(error)
    }
  }

  func synchronize(to position: LogPosition) throws(SecretStoreError) -> Bool {
    guard let file = try fileSystem.openWithoutFollowingLinks(path, O_RDONLY) else { return false }
    // If there is no lock file, no writer has used the log yet.
    if try mapErrors(fileSystem.status(of: lockPath)) != nil {
      // An active writer may fail and truncate its append, which may already have been read.
      guard let lock = try mapErrors(FileLock.ifFree(at: lockPath, in: fileSystem)),
        try isUnchanged(file, mapErrors(file.status()), since: position)
      else { return false }
      lock.release()
    }
    try mapErrors(file.synchronizeData())
    try mapErrors(synchronizeName(of: file))
    return true
  }

  /// Flushes the directory unless this object has done so for this file, because a power failure
  /// could restore the replaced file after writes to this one were acknowledged or recorded.
  private func synchronizeName(of file: borrowing File) throws(SystemError) {
    let identity = try file.status().logState.lowHalf
    let beginning = try file.read(from: 0, count: FileHeader.size + Frame.overhead)
    let isNamed = namedFile.withLock { $0.map { $0 == (identity, beginning) } ?? false }
    if !isNamed {
      try fileSystem.synchronizeDirectory(directory)
      namedFile.withLock { $0 = (identity, beginning) }
    }
    // While a file is open, no other one has its inode.
    if let log = openLog.withLock({ $0 }), log.identity == identity {
      log.isNamed.store(true, ordering: .relaxed)
    }
  }

  func observe(
    _ handler: @escaping @Sendable () -> Void
  ) throws(SecretStoreError) -> ChangeObservation {
    try mapErrors(fileSystem.makeDirectories(directory))
    let watch = Lock<PathWatch?>(
      try mapErrors(PathWatch(path: path, eachWrite: true, in: fileSystem, handler: handler)))
    return ChangeObservation(
      problem: { watch.withLock { $0?.problem }.map(SecretStoreError.init) },
      end: { watch.withLock { $0.take() }?.stop() })
  }

  /// Creates the file, and removes it after an error, unless flushing the directory failed: a power
  /// failure might undo the removal, but not the machine's record of the file that is created next.
  private func create(
    _ records: [LogRecord], holding lock: borrowing FileLock
  ) throws(SecretStoreError) -> LogPosition {
    var new = try Replacement(of: self)
    for record in records { try new.add(record) }
    let count = new.count
    let sample = LogSample(endingWith: records.last?.payload ?? [])
    do throws(SecretStoreError) {
      try install(new, holding: lock)
      guard let status = try mapErrors(fileSystem.status(of: path)) else {
        throw .system(call: "stat", path: path, code: ENOENT)
      }
      return LogPosition(count, status, sample)
    } catch {
      if case .uncertain = error { throw error }
      do throws(SystemError) { try fileSystem.unlink(path) } catch {}
      throw error
    }
  }

  /// Acquires the writers' lock, which ends with its holder, and flushes the file's name.
  func acquireWriteLock() throws(SecretStoreError) -> FileLock {
    let lock = try mapErrors(FileLock(at: lockPath, in: fileSystem, timeout: lockTimeout.duration))
    if let log = openLog.withLock({ $0 }), log.isNamed.load(ordering: .relaxed),
      try mapErrors(fileSystem.status(of: path))?.logState.lowHalf == log.identity
    {
      return lock
    }
    if let file = try fileSystem.openWithoutFollowingLinks(path, O_RDONLY) {
      try mapErrors(synchronizeName(of: file))
    }
    return lock
  }

  /// Opens the file, and throws `conflict` if it has changed; returns nil if it is still missing.
  func open(
    at position: LogPosition, _ flags: Int32
  ) throws(SecretStoreError) -> File? {
    guard let file = try fileSystem.openWithoutFollowingLinks(path, flags) else {
      if position == .nowhere { return nil }
      throw .conflict
    }
    let status = try mapErrors(file.status())
    try checkPrivacy(status, of: path)
    if status.isReadOnly {
      throw .unavailable(
        "\(path) is read-only, even for its owner. Permit writing with chmod u+w, and try again.")
    }
    guard try isUnchanged(file, status, since: position) else { throw .conflict }
    return file
  }
}
