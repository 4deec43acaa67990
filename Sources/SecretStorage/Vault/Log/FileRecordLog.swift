import CLibrary
import Concurrency
import StorageInternals

/// A record log in one append-only file.
///
/// A write is one append and one `fdatasync` under the lock of a separate file. Readers need no
/// lock: the file only grows or is replaced by a rename, and a digest validates each record.
struct FileRecordLog: RecordLog {
  let path: String
  let cipher: any SecretCipher
  var fileSystem = FileSystem()
  /// The maximum time that a writer waits for other writers.
  var lockTimeout = LockTimeout()
  /// The maximum file size, in bytes: the whole file is read into memory.
  var sizeLimit = 1 << 30
  /// The file whose name is known to be on disk, because this object has flushed the directory
  /// since the file was installed.
  private let namedFile = Lock<FileIdentity?>(nil)

  var name: String { path }
  var lockPath: String { path.companion(".lock") }
  var reserve: DiskReserve { DiskReserve(of: path, in: fileSystem) }

  func isCurrent(_ position: LogPosition) throws(SecretStoreError) -> Bool {
    do {
      guard let status = try fileSystem.status(of: path) else { return position == .nowhere }
      return FilePosition(position).isCurrent(for: status)
    } catch {
      throw SecretStoreError(error)
    }
  }

  func changes(
    since position: LogPosition?,
    isContinued: (LogRecord) throws(SecretStoreError) -> Bool
  ) throws(SecretStoreError) -> LogChanges {
    if position == nil { removeLeftovers() }
    guard let file = try fileSystem.openWithoutFollowingLinks(path, O_RDONLY) else {
      return LogChanges(isReset: position != .nowhere, position: .nowhere)
    }
    let current = try mapErrors { () throws(SystemError) in try file.status() }
    if let position, FilePosition(position).isCurrent(for: current) {
      return LogChanges(isReset: false, position: position)
    }
    try checkPrivacy(current, of: path)
    try checkSize(current)
    if let position, position != .nowhere {
      let previous = FilePosition(position)
      if previous.isEarlier(than: current) { return try readAppended(file, from: previous.end) }
      if !previous.isOfFile(current), let (record, end) = try lastOfReplacement(file),
        try isContinued(record)
      {
        var changes = try readAppended(file, from: end)
        changes.continuation = record
        return changes
      }
    }
    // The records keep the file open, also when it is replaced.
    let reader: LogReader = { offset, count throws(SecretStoreError) in
      let bytes = try mapErrors { () throws(SystemError) in
        try file.read(from: offset, count: count)
      }
      if bytes.count == count { return bytes[...] }
      throw .corrupted("\(file.path) was cut off after it was read")
    }
    return try read(file, current, reader)
  }

  /// Reads the part of a file after a record, and waits for a write in progress.
  ///
  /// A write takes microseconds. If a frame is incomplete for longer, its writer was killed.
  private func readAppended(
    _ file: borrowing File, from start: Int
  ) throws(SecretStoreError) -> LogChanges {
    var wait: UInt32 = 50
    while true {
      let status = try mapErrors { () throws(SystemError) in try file.status() }
      try checkSize(status)
      let changes = try read(file, status, from: start)
      guard changes.tail?.isTorn == true, wait < 5000 else { return changes }
      usleep(wait)
      wait *= 2
    }
  }

  /// Removes temporary files of killed writers, which may open without a passphrase.
  ///
  /// Does nothing while a writer is active.
  private func removeLeftovers() {
    do throws(SystemError) {
      guard try fileSystem.hasTemporaryFiles(of: path),
        let lock = try FileLock.ifFree(at: lockPath, in: fileSystem)
      else { return }
      try fileSystem.removeTemporaryFiles(of: path, holding: lock)
    } catch {
      // The vault is still read. The next full read or file replacement retries.
    }
  }

  /// Reads the part of a file after an offset; the status is the file's current one.
  func read(
    _ file: borrowing File, _ status: FileStatus, from start: Int = 0, _ reader: LogReader? = nil
  ) throws(SecretStoreError) -> LogChanges {
    let bytes = try mapErrors { () throws(SystemError) in
      try file.read(from: start, count: status.size - start)
    }
    var entries: [LogChanges.Entry] = []
    var content = bytes[...]
    if start == 0 {
      switch try FileHeader.storedVersion(in: content, cipher) {
      case FileHeader.version: content = content.dropFirst(FileHeader.size)
      case let version?: throw .newerFormat("\(path), in format version \(version),")
      case nil: content = try skipDamagedHeader(content, status, into: &entries)
      }
    }
    let parsed = try parse(content, at: start, of: status, reader)
    if start == 0, entries.isEmpty, parsed.entries.isEmpty {
      // A file is created with its first records, so this is not a vault, or all records are lost.
      throw .corrupted("\(path) is not an intact vault: it contains no complete record")
    }
    let reached = FilePosition(status, end: start + parsed.end)
    let rest = bytes[parsed.end...]
    let tail = LogChanges.Tail(
      place: "bytes \(reached.end)..<\(reached.size) of \(path)", isTorn: Frame.isBeginning(rest),
      isUnwritten: Frame.isUnwritten(rest, at: reached.end))
    return LogChanges(
      isReset: start == 0, entries: entries + parsed.entries, tail: rest.isEmpty ? nil : tail,
      position: reached.logPosition)
  }

  /// Throws if a file is larger than any vault, before memory is allocated for it.
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

  /// Skips to the first record; throws if there is none, because the file is then not a vault.
  private func skipDamagedHeader(
    _ content: ArraySlice<UInt8>, _ status: FileStatus, into entries: inout [LogChanges.Entry]
  ) throws(SecretStoreError) -> ArraySlice<UInt8> {
    var search = FrameSearch(content, cipher)
    guard let first = try search.nextRecord(from: content.startIndex) else {
      throw .corrupted("\(path) is not a vault: it has neither a vault's header nor a record")
    }
    let place = "the header, bytes 0..<\(first) of \(path),"
    entries.append(.damaged(place, after: FilePosition(status, end: 0).logPosition))
    return content[first...]
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
    _ records: [LogRecord], after logPosition: LogPosition, holding lock: borrowing FileLock
  ) throws(SecretStoreError) -> LogPosition {
    guard let file = try open(at: logPosition, O_RDWR) else {
      return try create(records, holding: lock)
    }
    let position = FilePosition(logPosition)
    var frames: [UInt8] = []
    for record in records { Frame.encode(record, into: &frames) }
    try checkGrowth(to: position.end + frames.count, by: frames.count)
    do throws(SystemError) {
      if position.end < position.size {
        try file.truncate(to: position.end)
        // A power failure must not leave whole records of the truncated part behind the new ones.
        try file.synchronize()
      }
      do throws(SystemError) {
        try file.write(frames, at: position.end)
        try file.synchronizeData()
        let end = FilePosition(try file.status(), end: position.end + frames.count)
        reserve.fill(holding: lock)
        return end.logPosition
      } catch {
        // The write was not acknowledged. If this fails too, the rest is torn, or a valid write.
        do throws(SystemError) { try file.truncate(to: position.end) } catch {}
        throw error
      }
    } catch {
      throw SecretStoreError(error)
    }
  }

  func synchronize(to position: LogPosition) throws(SecretStoreError) -> Bool {
    guard let file = try fileSystem.openWithoutFollowingLinks(path, O_RDONLY) else { return false }
    return try mapErrors { () throws(SystemError) in
      // Without a lock file, there was no writer yet.
      if try fileSystem.status(of: lockPath) != nil {
        // A writer that fails truncates its append, which may have been read.
        guard let lock = try FileLock.ifFree(at: lockPath, in: fileSystem),
          FilePosition(position).isCurrent(for: try file.status())
        else { return false }
        lock.release()
      }
      try file.synchronizeData()
      try synchronizeName(of: file)
      return true
    }
  }

  /// Flushes the directory if the file was installed by another object, or by a write that could
  /// not flush it.
  ///
  /// Otherwise, a power failure could restore the replaced file after writes to the new one were
  /// acknowledged, or recorded in this machine's state.
  private func synchronizeName(of file: borrowing File) throws(SystemError) {
    let found = try FileIdentity(of: file)
    if namedFile.withLock({ $0 == found }) { return }
    try fileSystem.synchronizeDirectory(path.parentDirectory)
    namedFile.withLock { $0 = found }
  }

  func observe(
    _ handler: @escaping @Sendable () -> Void
  ) throws(SecretStoreError) -> ChangeObservation {
    do {
      try fileSystem.makeDirectories(path.parentDirectory)
      let watch = Lock<PathWatch?>(
        try PathWatch(path: path, eachWrite: true, in: fileSystem, handler: handler))
      return ChangeObservation(
        problem: { watch.withLock { $0?.problem }.map(SecretStoreError.init) },
        end: { watch.withLock { $0.take() }?.stop() })
    } catch {
      throw SecretStoreError(error)
    }
  }

  /// Creates the file, which did not exist when the lock was acquired.
  ///
  /// Leaves no file on an error, unless the error is that of the directory's flush: a power failure
  /// might then undo the removal, but not that of the machine's record of the next new file.
  private func create(
    _ records: [LogRecord], holding lock: borrowing FileLock
  ) throws(SecretStoreError) -> LogPosition {
    var new = try Replacement(of: self)
    for record in records { try new.add(record) }
    do {
      return try install(new, holding: lock)
    } catch {
      if case .uncertain = error { throw error }
      do throws(SystemError) { try fileSystem.unlink(path) } catch {}
      throw error
    }
  }

  /// Acquires the writers' lock within `lockTimeout`, and then flushes the file's name.
  ///
  /// The kernel releases the lock when its holder dies.
  func acquireWriteLock() throws(SecretStoreError) -> FileLock {
    let lock = try mapErrors { () throws(SystemError) in
      try FileLock(at: lockPath, in: fileSystem, timeout: lockTimeout.duration)
    }
    if let file = try fileSystem.openWithoutFollowingLinks(path, O_RDONLY) {
      try mapErrors { () throws(SystemError) in try synchronizeName(of: file) }
    }
    return lock
  }

  /// Opens the file if it ends at a position; returns nil if it must not exist and does not.
  func open(
    at position: LogPosition, _ flags: Int32
  ) throws(SecretStoreError) -> File? {
    guard let file = try fileSystem.openWithoutFollowingLinks(path, flags) else {
      if position == .nowhere { return nil }
      throw .conflict
    }
    let status = try mapErrors { () throws(SystemError) in try file.status() }
    try checkPrivacy(status, of: path)
    if status.isReadOnly {
      throw .unavailable(
        "\(path) is read-only, even for its owner. Permit writing with chmod u+w, and try again.")
    }
    guard FilePosition(position).isCurrent(for: status) else { throw .conflict }
    return file
  }
}

/// Runs system calls, and throws their errors as ``SecretStoreError``.
func mapErrors<Result: ~Copyable>(
  _ calls: () throws(SystemError) -> Result
) throws(SecretStoreError) -> Result {
  do {
    return try calls()
  } catch {
    throw SecretStoreError(error)
  }
}
