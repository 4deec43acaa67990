import CLibrary
import Concurrency
import StorageInternals

// Reading the file, also while a writer replaces its reserve of zeros.
//
// A writer copies records in their order. A reader may still find zeros before bytes of a record, if
// it has passed their place before the writer did. A second read then finds the bytes, too.
extension FileRecordLog {
  func changes(
    since position: LogPosition?,
    isContinued: (LogRecord) throws(SecretStoreError) -> Bool
  ) throws(SecretStoreError) -> LogChanges {
    if position == nil { removeLeftovers() }
    guard let opened = try fileSystem.openWithoutFollowingLinks(path, O_RDONLY) else {
      return LogChanges(isReset: position != .nowhere, position: .nowhere)
    }
    let current = try mapErrors(opened.status())
    let log = OpenLog(opened, current)
    if let position, try isUnchanged(log.file, current, since: position) {
      keepOpen(log)
      return LogChanges(isReset: false, position: position)
    }
    try checkPrivacy(current, of: path)
    try checkSize(current)
    keepOpen(log)
    if let position, position != .nowhere {
      if position.fileIdentity == log.identity {
        if let changes = try appended(to: log.file, current, since: position) { return changes }
      } else if let (record, end) = try lastOfReplacement(log.file), try isContinued(record),
        let changes = try readCompleted(log.file, from: end)
      {
        return changes
      }
    }
    // The closure keeps the file open, so that records can be read after the file's replacement.
    let reader: LogReader = { offset, count throws(SecretStoreError) in
      let bytes = try mapErrors(log.file.read(from: offset, count: count))
      if bytes.count == count { return bytes[...] }
      throw .corrupted("\(log.file.path) was cut off after it was read")
    }
    return try readAll(log.file, current, reader)
  }

  /// Reads a whole file, and again the end that a writer has changed meanwhile.
  func readAll(
    _ file: borrowing File, _ status: FileStatus, _ reader: LogReader? = nil
  ) throws(SecretStoreError) -> LogChanges {
    let (changes, isSettled) = try readOnce(file, status, reader)
    if isSettled, changes.tail?.isTorn != false { return changes }
    let end = changes.firstDamage ?? changes.position.size
    // If the file was truncated meanwhile, the next access reads all of it again.
    guard let later = try readCompleted(file, from: end, reader) else { return changes }
    return changes.replacingEnd(at: end, by: later)
  }

  /// Returns what was appended to a file after a position; nil if all of the file must be read.
  private func appended(
    to file: borrowing File, _ status: FileStatus, since position: LogPosition
  ) throws(SecretStoreError) -> LogChanges? {
    // If the same file has not grown, and has no reserve, it was truncated or changed.
    let isExtended = status.size > position.fileSize
    guard position.rest == .end, isExtended || position.reserveCount > 0,
      position.size <= status.size,
      try LogSample(file, at: position.size).before == position.sample.before
    else { return nil }
    guard let changes = try readCompleted(file, from: position.size) else { return nil }
    // Without new records, bytes before the position were changed.
    return changes.entries.isEmpty && changes.tail == nil ? nil : changes
  }

  /// Reads the part of a file after a record, and waits some milliseconds for an incomplete frame,
  /// which either a write in progress completes or a killed writer has left; returns nil if the file
  /// is shorter.
  private func readCompleted(
    _ file: borrowing File, from start: Int, _ reader: LogReader? = nil
  ) throws(SecretStoreError) -> LogChanges? {
    var wait: UInt32 = 50
    while true {
      guard let changes = try readSettled(file, from: start, reader) else { return nil }
      guard changes.tail != nil, wait < 5000 else { return changes }
      usleep(wait)
      wait *= 2
    }
  }

  /// Reads the part of a file after a record until it does not change during the reading.
  private func readSettled(
    _ file: borrowing File, from start: Int, _ reader: LogReader?
  ) throws(SecretStoreError) -> LogChanges? {
    var attempts = 0
    while true {
      let status = try mapErrors(file.status())
      try checkSize(status)
      if status.size < start { return nil }
      let (changes, isSettled) = try readOnce(file, status, from: start, reader)
      attempts += 1
      // The status is not newer than the content, so later changes are detected in any case.
      if isSettled || attempts == 10 { return changes }
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
    _ file: borrowing File, _ status: FileStatus, from start: Int
  ) throws(SecretStoreError) -> LogChanges {
    try parseFile(bytes(of: file, status, from: start), status, from: start, nil)
  }

  /// Reads the part of a file after an offset, and returns whether it was not changed meanwhile.
  private func readOnce(
    _ file: borrowing File, _ status: FileStatus, from start: Int = 0, _ reader: LogReader? = nil
  ) throws(SecretStoreError) -> (LogChanges, isSettled: Bool) {
    let bytes = try bytes(of: file, status, from: start)
    let changes = try parseFile(bytes, status, from: start, reader)
    let end = changes.firstDamage ?? changes.position.size
    // A write in progress begins in the reserve, and the size shows what it has written beyond.
    if changes.firstDamage != nil || changes.tail != nil, status.size - end <= Self.zerosLimit {
      let rest = bytes[min(end - sampledStart(start), bytes.count)...]
      let again = try mapErrors(file.read(from: end, count: rest.count))
      if again[...] != rest { return (changes, false) }
    }
    return (changes, try mapErrors(file.status()).logState == status.logState)
  }

  /// Reads a file from an offset, or from a few bytes before, which a position's sample includes.
  private func bytes(
    of file: borrowing File, _ status: FileStatus, from start: Int
  ) throws(SecretStoreError) -> [UInt8] {
    let first = sampledStart(start)
    return try mapErrors(file.read(from: first, count: status.size - first))
  }

  private func sampledStart(_ start: Int) -> Int { max(0, start - LogSample.countBefore) }

  private func parseFile(
    _ bytes: [UInt8], _ status: FileStatus, from start: Int, _ reader: LogReader?
  ) throws(SecretStoreError) -> LogChanges {
    let offset = sampledStart(start)
    // The file may have been truncated since its status was read.
    var content = bytes[min(start - offset, bytes.count)...]
    // If the header is damaged, the parser reports it as damage before the first record.
    if start == 0, let header = try FileHeader(content, cipher) {
      guard header.version == FileHeader.version else {
        throw .newerFormat("\(path), in format version \(header.version),")
      }
      content = content.dropFirst(FileHeader.size)
    }
    var parsed = try parse(content, at: offset, of: status, reader)
    if start == 0, content.startIndex == 0, case .record? = parsed.entries.first {
      // The file begins with a record, so it lacks its header.
      let place = "the missing header of \(path)"
      let before = LogPosition(0, status, LogSample(bytes[...], at: 0), followedBy: .damage)
      parsed.entries.insert(.damaged(place, after: before), at: 0)
    }
    if start == 0, parsed.entries.isEmpty {
      // A file is created with its first records, so this is not a vault, or all records are lost.
      throw .corrupted("\(path) is not a vault: it contains no complete record")
    }
    let end = max(start, offset + parsed.end)
    let rest = bytes[parsed.end...]
    let remains = Frame.remains(in: rest)
    let isTorn = Frame.isBeginning(rest)
    let isIncomplete = !isTorn && remains.count < rest.count && Frame.isIncomplete(remains)
    let tail = LogChanges.Tail(
      place: "bytes \(end)..<\(end + remains.count) of \(path)", isTorn: isTorn,
      isUnwritten: isIncomplete || Frame.isUnwritten(remains, at: end), isIncomplete: isIncomplete)
    let isUnfinished = !isTorn && rest.count <= Self.zerosLimit
    return LogChanges(
      isReset: start == 0, entries: parsed.entries, tail: remains.isEmpty ? nil : tail,
      position: LogPosition(
        end, status, LogSample(bytes[...], at: parsed.end),
        followedBy: remains.isEmpty ? .end : isUnfinished ? .unfinished : .damage))
  }
}

extension LogChanges {
  /// The offset of the first damage before a record.
  fileprivate var firstDamage: Int? {
    for case .damaged(_, let position) in entries { return position.size }
    return nil
  }

  /// Returns the changes with those of a later read in place of the ones after an offset.
  fileprivate func replacingEnd(at offset: Int, by later: LogChanges) -> LogChanges {
    let kept = firstDamage == offset ? entries.prefix { !$0.isDamage } : entries[...]
    return LogChanges(
      isReset: isReset, entries: kept + later.entries, tail: later.tail, position: later.position)
  }
}

extension LogChanges.Entry {
  fileprivate var isDamage: Bool { if case .damaged = self { true } else { false } }
}
