import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// A record log in one append-only file.
///
/// A write is one append and one `fdatasync`. Writers take turns by a lock on a file beside the
/// log, which the kernel releases when its holder dies; readers need no lock, because the file only
/// grows or is replaced by a rename, and a record counts only when its digest is right.
struct FileRecordLog: RecordLog {
  let path: String
  let cipher: any SecretCipher
  let fileSystem: FileSystem
  var lockTimeout = LockTimeout()
  /// The largest file, in bytes: all of it is read into memory.
  var sizeLimit = 1 << 30

  init(path: String, cipher: any SecretCipher, fileSystem: FileSystem = FileSystem()) {
    self.path = path
    self.cipher = cipher
    self.fileSystem = fileSystem
  }

  var name: String { path }
  private var lockPath: String { path + ".lock" }
  private var reserve: DiskReserve { DiskReserve(of: path, in: fileSystem) }

  func changes(since position: LogPosition?) throws(SecretStoreError) -> LogChanges {
    if position == nil { removeLeftovers() }
    let status = try system { () throws(SystemError) in try fileSystem.status(of: path) }
    if let status, let position, position.isCurrent(for: status) {
      return LogChanges(startsOver: false, entries: [], tail: nil, position: position)
    }
    guard status != nil, let file = try open(O_RDONLY) else {
      return LogChanges(
        startsOver: position != .nowhere, entries: [], tail: nil, position: .nowhere)
    }
    let current = try system { () throws(SystemError) in try file.status() }
    try checkPrivacy(current, of: path)
    return try read(file, current, since: position)
  }

  /// Removes what killed writers left beside the file, unless one is at work: it may open without a
  /// passphrase that the file has.
  private func removeLeftovers() {
    do throws(SystemError) {
      guard try fileSystem.hasLeftovers(of: path),
        let lock = try FileLock.ifFree(at: lockPath, in: fileSystem)
      else { return }
      try fileSystem.removeLeftovers(of: path, holding: lock)
    } catch {
      // Where nothing can be removed, or there is no directory yet, the vault is read nevertheless.
      // The next reading, or file that is put in place, tries again.
    }
  }

  /// Everything from a position on, of a file whose status is as it was just now.
  func read(
    _ file: borrowing File, _ status: FileStatus, since position: LogPosition?
  ) throws(SecretStoreError) -> LogChanges {
    try checkSize(status)
    let start = position.flatMap { $0.isEarlier(than: status) ? $0.end : nil } ?? 0
    let bytes: [UInt8]
    do {
      bytes = try file.read(from: start, count: status.size - start)
    } catch {
      throw SecretStoreError(error)
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
      // A vault is put in place with its first records, so that this is none, or all that is left.
      throw .corrupted("\(path) is no intact vault: it holds no whole record")
    }
    let reached = LogPosition(status: status, end: start + parsed.end)
    let rest = bytes[parsed.end...]
    let tail = LogChanges.Tail(
      place: "bytes \(reached.end)..<\(reached.size) of \(path)", isTorn: Frame.isBeginning(rest),
      isUnwritten: Frame.isUnwritten(rest, at: reached.end))
    return LogChanges(
      startsOver: start == 0, entries: entries + parsed.entries, tail: rest.isEmpty ? nil : tail,
      position: reached)
  }

  /// Refuses a file that no vault has grown to, before memory is taken for it.
  private func checkSize(_ status: FileStatus) throws(SecretStoreError) {
    guard status.size > sizeLimit else { return }
    throw .corrupted(
      "\(path) has \(status.size) bytes, but may have \(sizeLimit): it was tampered with")
  }

  /// Refuses to let the file grow beyond what is read again.
  private func checkGrowth(to size: Int, by count: Int) throws(SecretStoreError) {
    // The last part is left to small writes, such as removals, so that a full vault can be emptied.
    let limit = count > sizeLimit >> 14 ? sizeLimit - sizeLimit >> 4 : sizeLimit
    guard size > limit else { return }
    throw .invalid(
      """
      \(path) would have \(size) bytes, but may have \(limit): remove items, then compact it
      """)
  }

  /// A file that has neither a header nor any record is none of ours.
  private func skipDamagedHeader(
    _ content: ArraySlice<UInt8>, _ status: FileStatus, into entries: inout [LogChanges.Entry]
  ) throws(SecretStoreError) -> ArraySlice<UInt8> {
    var search = FrameSearch(content, cipher)
    guard let first = try search.nextRecord(from: content.startIndex) else {
      throw .corrupted("\(path) is not a vault: it has neither a vault's header nor a record")
    }
    let place = "the header, bytes 0..<\(first) of \(path),"
    entries.append(.damaged(place, after: LogPosition(status: status, end: 0)))
    return content[first...]
  }

  func append(
    _ records: [LogRecord], after position: LogPosition
  ) throws(SecretStoreError) -> LogPosition {
    let lock = try takeTurn()
    return try append(records, after: position, holding: lock)
  }

  func append(
    by make: () throws(SecretStoreError) -> (records: [LogRecord], position: LogPosition)?
  ) throws(SecretStoreError) -> LogPosition? {
    let lock = try takeTurn()
    guard let (records, position) = try make() else { return nil }
    return try append(records, after: position, holding: lock)
  }

  private func append(
    _ records: [LogRecord], after position: LogPosition, holding lock: borrowing FileLock
  ) throws(SecretStoreError) -> LogPosition {
    if position == .nowhere {
      try checkPosition(position)
      return try create(records, holding: lock)
    }
    guard let file = try open(O_RDWR) else { throw .conflict }
    let status = try system { () throws(SystemError) in try file.status() }
    try checkPrivacy(status, of: path)
    guard position.isCurrent(for: status) else { throw .conflict }
    var frames: [UInt8] = []
    for record in records { Frame.encode(record, into: &frames) }
    try checkGrowth(to: position.end + frames.count, by: frames.count)
    do throws(SystemError) {
      if position.end < position.size {
        try file.truncate(to: position.end)
        // A power cut must not leave whole records of it behind the new ones.
        try file.synchronize()
      }
      do throws(SystemError) {
        try file.write(frames, at: position.end)
        try file.synchronizeData()
        let end = LogPosition(status: try file.status(), end: position.end + frames.count)
        reserve.fill(holding: lock)
        return end
      } catch {
        // Whatever was written was not acknowledged. Should cutting it off fail as well, it is
        // either torn, or complete and as good as if it had been acknowledged.
        do throws(SystemError) { try file.truncate(to: position.end) } catch {}
        throw error
      }
    } catch {
      throw SecretStoreError(error)
    }
  }

  func replace(
    keepingOld: Bool,
    by make: () throws(SecretStoreError) -> (records: [LogRecord], position: LogPosition)?
  ) throws(SecretStoreError) -> SecretStoreError? {
    let lock = try takeTurn()
    guard let (records, position) = try make() else { return nil }
    try checkPosition(position)
    if keepingOld { try keepAside("\(path).damaged-\(position.modified)") }
    do {
      _ = try install(records, holding: lock)
      return nil
    } catch {
      // From the renaming on, every reader has the new file.
      guard isReplaced(position) else { throw error }
      return error
    }
  }

  /// Whether there is another file than the one of a position; false also when that cannot be told.
  private func isReplaced(_ position: LogPosition) -> Bool {
    do throws(SystemError) {
      guard let status = try fileSystem.status(of: path) else { return false }
      return !position.isCurrent(for: status)
    } catch {
      return false
    }
  }

  func makeRoom() -> Bool {
    reserve.giveUpPart()
  }

  /// Gives the file a second name, or makes a copy where the file system has no second names.
  private func keepAside(_ name: String) throws(SecretStoreError) {
    do {
      try fileSystem.link(path, to: name)
    } catch {
      if error.isUnsupported { return try copy(to: name) }
      // An earlier attempt got as far as this and no farther, or else the name is another file's.
      if error.code == EEXIST, try isKept(as: name) { return }
      throw SecretStoreError(error)
    }
  }

  private func copy(to name: String) throws(SecretStoreError) {
    let file = try system { () throws(SystemError) in
      try fileSystem.open(path, O_RDONLY | O_NOFOLLOW)
    }
    let status = try system { () throws(SystemError) in try file.status() }
    try checkSize(status)
    do {
      let bytes = try file.read(from: 0, count: status.size)
      try fileSystem.replaceFile(at: name, with: bytes, mode: 0o600, overwriting: false)
    } catch {
      if error.code == EEXIST, try isKept(as: name) { return }
      throw SecretStoreError(error)
    }
  }

  /// Whether another name is one of the same file, or of a copy of it.
  private func isKept(as name: String) throws(SecretStoreError) -> Bool {
    try system { () throws(SystemError) in
      let file = try fileSystem.open(path, O_RDONLY | O_NOFOLLOW)
      let other = try fileSystem.open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
      let (status, otherStatus) = (try file.status(), try other.status())
      if status.inode == otherStatus.inode { return true }
      guard otherStatus.isRegularFile, status.size == otherStatus.size, status.size <= sizeLimit
      else { return false }
      return try file.read(from: 0, count: status.size)
        == other.read(from: 0, count: status.size)
    }
  }

  func observe(
    _ handler: @escaping @Sendable () -> Void
  ) throws(SecretStoreError) -> ChangeObservation {
    do {
      try fileSystem.makeDirectories(path.parentDirectory)
      let watch = try FileWatch(path: path, handler: handler)
      return ChangeObservation { withExtendedLifetime(watch) {} }
    } catch {
      throw SecretStoreError(error)
    }
  }

  /// Puts the first file in place, or none; there was none when the lock was taken.
  private func create(
    _ records: [LogRecord], holding lock: borrowing FileLock
  ) throws(SecretStoreError) -> LogPosition {
    do {
      return try install(records, holding: lock)
    } catch {
      // It may be there but not surely for good: then the write failed, and must not be seen.
      do throws(SystemError) { try fileSystem.unlink(path) } catch {}
      throw error
    }
  }

  /// Puts a file with these records in place.
  private func install(
    _ records: [LogRecord], holding lock: borrowing FileLock
  ) throws(SecretStoreError) -> LogPosition {
    let content = try content(of: records)
    try checkGrowth(to: content.count, by: 0)
    do throws(SystemError) {
      try fileSystem.removeLeftovers(of: path, holding: lock)
      try fileSystem.replaceFile(at: path, with: content, mode: 0o600)
      guard let status = try fileSystem.status(of: path) else { throw vanished }
      reserve.fill(holding: lock)
      return LogPosition(status: status, end: content.count)
    } catch {
      throw SecretStoreError(error)
    }
  }

  /// Waits until no other writer, of whatever process, is at work, but no longer than a writer may.
  private func takeTurn() throws(SecretStoreError) -> FileLock {
    try system { () throws(SystemError) in
      try fileSystem.makingDirectories(for: path) { () throws(SystemError) in
        try FileLock(at: lockPath, in: fileSystem, timeout: lockTimeout.duration)
      }
    }
  }

  private func checkPosition(_ position: LogPosition) throws(SecretStoreError) {
    let status = try system { () throws(SystemError) in try fileSystem.status(of: path) }
    guard let status else {
      if position == .nowhere { return }
      throw .conflict
    }
    try checkPrivacy(status, of: path)
    guard position.isCurrent(for: status) else { throw .conflict }
  }

  private var vanished: SystemError { SystemError(call: .stat, path: path, code: ENOENT) }

  /// Opens the file; nil when there is none.
  private func open(_ flags: Int32) throws(SecretStoreError) -> File? {
    do {
      // Non-blocking, because a FIFO in the file's place would let the caller wait for ever.
      return try fileSystem.open(path, flags | O_NOFOLLOW | O_NONBLOCK)
    } catch {
      if error.code == ENOENT { return nil }
      throw refusal(error)
    }
  }

  private func refusal(_ error: SystemError) -> SecretStoreError {
    error.code == ELOOP
      ? .insecure(path: path, reason: "is a symbolic link") : SecretStoreError(error)
  }
}

/// Makes system calls, and throws what they report as a store does.
func system<Result: ~Copyable>(
  _ calls: () throws(SystemError) -> Result
) throws(SecretStoreError) -> Result {
  do {
    return try calls()
  } catch {
    throw SecretStoreError(error)
  }
}

extension LogPosition {
  /// The position in a log that does not exist.
  static let nowhere = LogPosition(words: SIMD8(repeating: 0))

  init(status: FileStatus, end: Int) {
    var words = SIMD8<UInt64>(repeating: 0)
    words[0] = status.device
    words[1] = status.inode
    words[2] = UInt64(status.size)
    words[3] = UInt64(bitPattern: Int64(status.modified))
    words[4] = UInt64(end)
    self.init(words: words)
  }

  /// The size of the file when it was last looked at, in bytes.
  var size: Int { Int(words[2]) }
  /// When the file was last written to, in nanoseconds since 1970.
  var modified: Int64 { Int64(bitPattern: words[3]) }
  /// Where the last record ends.
  var end: Int { Int(words[4]) }

  func isCurrent(for status: FileStatus) -> Bool {
    self == LogPosition(status: status, end: end)
  }

  /// Whether the same file has grown since; a file that only changed is read again as a whole.
  func isEarlier(than status: FileStatus) -> Bool {
    words[0] == status.device && words[1] == status.inode && size < status.size
  }
}
