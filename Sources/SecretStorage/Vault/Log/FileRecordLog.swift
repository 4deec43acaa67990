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
  var lockTimeout = LockTimeout()
  /// The largest file size, in bytes: the whole file is read into memory.
  var sizeLimit = 1 << 30

  var name: String { path }
  private var lockPath: String { path + ".lock" }
  private var reserve: DiskReserve { DiskReserve(of: path, in: fileSystem) }

  func changes(
    since position: LogPosition?,
    isContinued: (LogRecord) throws(SecretStoreError) -> Bool
  ) throws(SecretStoreError) -> LogChanges {
    if position == nil { removeLeftovers() }
    let status = try system { () throws(SystemError) in try fileSystem.status(of: path) }
    if let status, let position, FilePosition(position).isCurrent(for: status) {
      return LogChanges(startsOver: false, position: position)
    }
    guard status != nil, let file = try fileSystem.openItself(path, O_RDONLY) else {
      return LogChanges(startsOver: position != .nowhere, position: .nowhere)
    }
    let current = try system { () throws(SystemError) in try file.status() }
    try checkPrivacy(current, of: path)
    try checkSize(current)
    guard let position else { return try read(file, current) }
    let known = FilePosition(position)
    if known.isEarlier(than: current) { return try read(file, current, from: known.end) }
    if position != .nowhere, !known.isOfFile(current),
      let (record, end) = try lastOfReplacement(file), try isContinued(record)
    {
      var changes = try read(file, current, from: end)
      changes.continuation = record
      return changes
    }
    return try read(file, current)
  }

  /// Returns the last record that the replacement of a file wrote, and its end; nil if unknown.
  private func lastOfReplacement(
    _ file: borrowing File
  ) throws(SecretStoreError) -> (LogRecord, end: Int)? {
    func bytes(_ offset: Int, _ count: Int) throws(SecretStoreError) -> [UInt8] {
      try system { () throws(SystemError) in try file.read(from: offset, count: count) }
    }
    guard let offset = FileHeader.lastRecord(in: try bytes(0, FileHeader.count)),
      let count = Frame.payloadCount(in: try bytes(offset, Frame.overhead)[...]),
      count <= KeyTableRecord.countLimit
    else { return nil }
    let frame = try bytes(offset, Frame.overhead + count)
    var search = FrameSearch(frame[...], cipher)
    guard let record = try search.record(at: 0) else { return nil }
    return (record, offset + frame.count)
  }

  /// Removes leftovers of killed writers, which may open without a passphrase, if none is active.
  private func removeLeftovers() {
    do throws(SystemError) {
      guard try fileSystem.hasTemporaryFiles(of: path),
        let lock = try FileLock.ifFree(at: lockPath, in: fileSystem)
      else { return }
      try fileSystem.removeTemporaryFiles(of: path, holding: lock)
    } catch {
      // The vault is read nevertheless. The next full read or file replacement retries.
    }
  }

  /// Reads the part of a file after an offset; the status is the file's current one.
  func read(
    _ file: borrowing File, _ status: FileStatus, from start: Int = 0
  ) throws(SecretStoreError) -> LogChanges {
    let bytes = try system { () throws(SystemError) in
      try file.read(from: start, count: status.size - start)
    }
    var entries: [LogChanges.Entry] = []
    var content = bytes[...]
    if start == 0 {
      switch try FileHeader.read(content, cipher) {
      case .current: content = content.dropFirst(FileHeader.count)
      case .newer(let version): throw .newerFormat("\(path), in format version \(version),")
      case .damaged: content = try skipDamagedHeader(content, status, into: &entries)
      }
    }
    let parsed = try parse(content, at: start, of: status)
    if start == 0, entries.isEmpty, parsed.entries.isEmpty {
      // A file is created with its first records, so this is no vault, or all records are lost.
      throw .corrupted("\(path) is no intact vault: it holds no whole record")
    }
    let reached = FilePosition(status, end: start + parsed.end)
    let rest = bytes[parsed.end...]
    let tail = LogChanges.Tail(
      place: "bytes \(reached.end)..<\(reached.size) of \(path)", isTorn: Frame.isBeginning(rest),
      isUnwritten: Frame.isUnwritten(rest, at: reached.end))
    return LogChanges(
      startsOver: start == 0, entries: entries + parsed.entries, tail: rest.isEmpty ? nil : tail,
      position: reached.logPosition)
  }

  /// Throws if a file is larger than any vault, before memory is allocated for it.
  func checkSize(_ status: FileStatus) throws(SecretStoreError) {
    guard status.size > sizeLimit else { return }
    throw .corrupted(
      "\(path) has \(status.size) bytes, but may have \(sizeLimit): it was tampered with")
  }

  /// Throws if a write would make the file too large to be read again.
  func checkGrowth(to size: Int, by count: Int) throws(SecretStoreError) {
    // The last 1/16 is reserved for small writes, so that removals can empty a full vault.
    let limit = count > sizeLimit >> 14 ? sizeLimit - sizeLimit >> 4 : sizeLimit
    guard size > limit else { return }
    throw .invalid(
      """
      \(path) would have \(size) bytes, but may have \(limit): remove items, then compact it
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

  func append(
    by make: () throws(SecretStoreError) -> (records: [LogRecord], position: LogPosition)?
  ) throws(SecretStoreError) -> LogPosition? {
    let lock = try takeTurn()
    guard let (records, known) = try make() else { return nil }
    guard let file = try open(at: known, O_RDWR) else {
      return try create(records, holding: lock)
    }
    let position = FilePosition(known)
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

  func replace(
    keepingOld: Bool, beginning: LogBeginning,
    by make: () throws(SecretStoreError) -> (records: [LogRecord], position: LogPosition)?
  ) throws(SecretStoreError) -> SecretStoreError? {
    var new = try Replacement(of: self)
    if new.isOnDisk {
      try beginning { record throws(SecretStoreError) in try new.add(record) }
      try new.synchronize()
    }
    let lock = try takeTurn()
    if !new.isOnDisk {
      try beginning { record throws(SecretStoreError) in try new.add(record) }
    }
    guard let (records, position) = try make() else { return nil }
    for record in records { try new.add(record) }
    _ = try open(at: position, O_RDONLY)
    if keepingOld { try keepAside(position) }
    do {
      _ = try install(new, holding: lock)
      return nil
    } catch {
      // After the rename, every reader has the new file.
      guard isReplaced(position) else { throw error }
      return error
    }
  }

  /// Whether the file is not the one of a position; false also if that is unknown.
  private func isReplaced(_ position: LogPosition) -> Bool {
    do throws(SystemError) {
      guard let status = try fileSystem.status(of: path) else { return false }
      return !FilePosition(position).isCurrent(for: status)
    } catch {
      return false
    }
  }

  func synchronize(to position: LogPosition) throws(SecretStoreError) -> Bool {
    guard let file = try fileSystem.openItself(path, O_RDONLY) else { return false }
    return try system { () throws(SystemError) in
      // Without a lock file, there was no writer yet.
      if try fileSystem.status(of: lockPath) != nil {
        // A writer that fails truncates its append, which may have been read.
        guard let lock = try FileLock.ifFree(at: lockPath, in: fileSystem),
          FilePosition(position).isCurrent(for: try file.status())
        else { return false }
        lock.release()
      }
      try file.synchronizeData()
      return true
    }
  }

  func protect() throws(SecretStoreError) {
    try fileSystem.protectDirectory(path.parentDirectory)
  }

  func makeRoom() -> Bool {
    reserve.giveUpPart()
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

  /// Creates the file, or leaves none; it did not exist when the lock was taken.
  private func create(
    _ records: [LogRecord], holding lock: borrowing FileLock
  ) throws(SecretStoreError) -> LogPosition {
    var new = try Replacement(of: self)
    for record in records { try new.add(record) }
    do {
      return try install(new, holding: lock)
    } catch {
      // The file may be in place but not durable: the write failed, so no reader may see it.
      do throws(SystemError) { try fileSystem.unlink(path) } catch {}
      throw error
    }
  }

  /// Puts a new file in place of the present one.
  private func install(
    _ new: consuming Replacement, holding lock: borrowing FileLock
  ) throws(SecretStoreError) -> LogPosition {
    try checkGrowth(to: new.count, by: 0)
    let count = new.count
    try system { () throws(SystemError) in
      try fileSystem.removeTemporaryFiles(of: path, holding: lock)
    }
    try new.install()
    return try system { () throws(SystemError) in
      guard let status = try fileSystem.status(of: path) else {
        throw SystemError(call: .stat, path: path, code: ENOENT)
      }
      reserve.fill(holding: lock)
      return FilePosition(status, end: count).logPosition
    }
  }

  /// Acquires the writers' lock within `lockTimeout`; the kernel releases it when its holder dies.
  func takeTurn() throws(SecretStoreError) -> FileLock {
    try system { () throws(SystemError) in
      try fileSystem.makingDirectories(for: path) { () throws(SystemError) in
        try FileLock(at: lockPath, in: fileSystem, timeout: lockTimeout.duration)
      }
    }
  }

  /// Opens the file if it ends at a position; returns nil if it must not exist and does not.
  private func open(
    at position: LogPosition, _ flags: Int32
  ) throws(SecretStoreError) -> File? {
    guard let file = try fileSystem.openItself(path, flags) else {
      if position == .nowhere { return nil }
      throw .conflict
    }
    let status = try system { () throws(SystemError) in try file.status() }
    try checkPrivacy(status, of: path)
    guard FilePosition(position).isCurrent(for: status) else { throw .conflict }
    return file
  }
}

/// Runs system calls, and throws their errors as ``SecretStoreError``.
func system<Result: ~Copyable>(
  _ calls: () throws(SystemError) -> Result
) throws(SecretStoreError) -> Result {
  do {
    return try calls()
  } catch {
    throw SecretStoreError(error)
  }
}
