import CLibrary
import Concurrency
import StorageInternals

/// A record log in one append-only file.
///
/// A write is one append and one `fdatasync` while a separate lock file is locked. Readers need no
/// lock, because a new file replaces the old one by a rename, and a digest validates each record.
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

  init(
    path: String, cipher: any SecretCipher, fileSystem: FileSystem = FileSystem(),
    lockTimeout: LockTimeout = LockTimeout()
  ) {
    (self.path, directory) = (path, path.parentDirectory)
    (lockPath, reservePath) = (path.companion(".lock"), path.companion(".reserve"))
    (self.cipher, self.fileSystem, self.lockTimeout) = (cipher, fileSystem, lockTimeout)
  }

  var name: String { path }

  func isCurrent(_ position: LogPosition) throws(SecretStoreError) -> Bool {
    guard let status = try mapErrors(fileSystem.status(of: path)) else {
      return position == .nowhere
    }
    return position.state == status.logState
  }

  func changes(
    since position: LogPosition?,
    isContinued: (LogRecord) throws(SecretStoreError) -> Bool
  ) throws(SecretStoreError) -> LogChanges {
    if position == nil { removeLeftovers() }
    guard let file = try fileSystem.openWithoutFollowingLinks(path, O_RDONLY) else {
      return LogChanges(isReset: position != .nowhere, position: .nowhere)
    }
    let current = try mapErrors(file.status())
    if let position, position.state == current.logState {
      return LogChanges(isReset: false, position: position)
    }
    try checkPrivacy(current, of: path)
    try checkSize(current)
    if let position, position != .nowhere {
      let state = current.logState
      if position.state.lowHalf == state.lowHalf {
        // If the same file has not grown, it was truncated or changed, and all of it is read again.
        if position.state[2] < state[2] { return try readAppended(file, from: position.size) }
      } else if let (record, end) = try lastOfReplacement(file), try isContinued(record) {
        return try readAppended(file, from: end)
      }
    }
    // The closure keeps the file open, so that records can be read after the file's replacement.
    let reader: LogReader = { offset, count throws(SecretStoreError) in
      let bytes = try mapErrors(file.read(from: offset, count: count))
      if bytes.count == count { return bytes[...] }
      throw .corrupted("\(file.path) was cut off after it was read")
    }
    return try read(file, current, reader)
  }

  /// Reads the part of a file after a record, and waits some milliseconds for an incomplete frame,
  /// which either a write in progress completes or a killed writer has left.
  private func readAppended(
    _ file: borrowing File, from start: Int
  ) throws(SecretStoreError) -> LogChanges {
    var wait: UInt32 = 50
    while true {
      let status = try mapErrors(file.status())
      try checkSize(status)
      let changes = try read(file, status, from: start)
      guard changes.tail?.isTorn == true, wait < 5000 else { return changes }
      usleep(wait)
      wait *= 2
    }
  }

  /// Removes temporary files of killed writers, which may be vaults that open without a passphrase,
  /// unless a writer is active.
  private func removeLeftovers() {
    do throws(SystemError) {
      guard try fileSystem.hasTemporaryFiles(of: path),
        let lock = try FileLock.ifFree(at: lockPath, in: fileSystem)
      else { return }
      try fileSystem.removeTemporaryFiles(of: path, holding: lock)
    } catch {
      // The log can still be read. The next full read or replacement tries again.
    }
  }

  /// Reads the part of a file after an offset; `status` is the current status of the file.
  func read(
    _ file: borrowing File, _ status: FileStatus, from start: Int = 0, _ reader: LogReader? = nil
  ) throws(SecretStoreError) -> LogChanges {
    let bytes = try mapErrors(file.read(from: start, count: status.size - start))
    var content = bytes[...]
    // If the header is damaged, the parser reports it as damage before the first record.
    if start == 0, let header = try FileHeader(content, cipher) {
      guard header.version == FileHeader.version else {
        throw .newerFormat("\(path), in format version \(header.version),")
      }
      content = content.dropFirst(FileHeader.size)
    }
    var parsed = try parse(content, at: start, of: status, reader)
    if start == 0, content.startIndex == 0, case .record? = parsed.entries.first {
      // The file begins with a record, so it lacks its header.
      let place = "the missing header of \(path)"
      parsed.entries.insert(
        .damaged(place, after: LogPosition(size: 0, state: status.logState)), at: 0)
    }
    if start == 0, parsed.entries.isEmpty {
      // A file is created with its first records, so this is not a vault, or all records are lost.
      throw .corrupted("\(path) is not a vault: it contains no complete record")
    }
    let end = start + parsed.end
    let rest = bytes[parsed.end...]
    let tail = LogChanges.Tail(
      place: "bytes \(end)..<\(status.size) of \(path)", isTorn: Frame.isBeginning(rest),
      isUnwritten: Frame.isUnwritten(rest, at: end))
    return LogChanges(
      isReset: start == 0, entries: parsed.entries, tail: rest.isEmpty ? nil : tail,
      position: LogPosition(size: end, state: status.logState))
  }

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
    if position.size < position.state[2] {
      try mapErrors(file.truncate(to: position.size))
      // A power failure must not leave whole records of the truncated part behind the new ones.
      try mapErrors(file.synchronize())
    }
    do throws(SystemError) {
      try file.write(frames, at: position.size)
      try file.synchronizeData()
      let state = try file.status().logState
      fillReserve(holding: lock)
      return LogPosition(size: end, state: state)
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
        try mapErrors(file.status()).logState == position.state
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
    if let named = namedFile.withLock({ $0 }), named == (identity, beginning) { return }
    try fileSystem.synchronizeDirectory(directory)
    namedFile.withLock { $0 = (identity, beginning) }
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
    do throws(SecretStoreError) {
      try install(new, holding: lock)
      guard let status = try mapErrors(fileSystem.status(of: path)) else {
        throw .system(call: "stat", path: path, code: ENOENT)
      }
      return LogPosition(size: count, state: status.logState)
    } catch {
      if case .uncertain = error { throw error }
      do throws(SystemError) { try fileSystem.unlink(path) } catch {}
      throw error
    }
  }

  /// Acquires the writers' lock, which ends with its holder, and flushes the file's name.
  func acquireWriteLock() throws(SecretStoreError) -> FileLock {
    let lock = try mapErrors(FileLock(at: lockPath, in: fileSystem, timeout: lockTimeout.duration))
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
    guard status.logState == position.state else { throw .conflict }
    return file
  }
}

extension FileStatus {
  /// The device, inode, size in bytes, and modification time in nanoseconds, of a log's file.
  var logState: SIMD4<UInt64> {
    SIMD4(device, inode, UInt64(size), UInt64(bitPattern: Int64(modified)))
  }
}
