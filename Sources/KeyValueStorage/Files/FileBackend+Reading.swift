import CLibrary
import Concurrency
import StorageInternals
import ValueFormats

// Reading and parsing the file.
extension FileBackend {
  func status(of path: String) throws(KeyValueStoreError) -> FileStatus? {
    try convertingErrors { () throws(SystemError) in
      try fileSystem.status(of: path, followingLink: true)
    }
  }

  /// Returns a snapshot of the file, from the cache if it is current.
  func snapshot(at path: String) throws(KeyValueStoreError) -> FileSnapshot {
    try state.withLock { state throws(KeyValueStoreError) in
      let status = try status(of: path)
      if let status, status.size > 0 { state.hasSeenContent = true }
      if let snapshot = state.snapshot, snapshot.hasReliableStatus,
        snapshot.isUnchanged(since: status)
      {
        return snapshot
      }
      let snapshot = try read(path, status, &state)
      state.snapshot = snapshot
      return snapshot
    }
  }

  /// Returns whether a file with the size and date of a snapshot also has the snapshot's content.
  func hasUnchangedContent(_ path: String, _ snapshot: FileSnapshot) -> Bool {
    if snapshot.hasReliableStatus || snapshot.status?.size == 0 { return true }
    // After a failure, the next attempt reads the file again.
    guard let new = try? readOnce(path, revision: snapshot.revision)?.contents.get(),
      let old = try? snapshot.contents.get()
    else { return false }
    return old.surroundings == new.surroundings && old.entries.elementsEqual(new.entries)
  }

  /// Reads the file, and retries while other programs change it; `found` is its last known status.
  private func read(
    _ path: String, _ found: FileStatus?, _ state: inout FileBackendState
  ) throws(KeyValueStoreError) -> FileSnapshot {
    var found = found
    for _ in 0..<100 {
      guard let status = found else {
        let revision = state.nextRevision()
        return FileSnapshot(
          revision: revision, .success(KeyValueContents(revision: revision)), status: nil,
          hasReliableStatus: true, file: nil)
      }
      // Opening anything other than a regular file may block, or affect a device.
      try requireReadable(status)
      if let snapshot = try readOnce(path, revision: state.nextRevision()) { return snapshot }
      found = try self.status(of: path)
    }
    throw .unavailable(
      "\(path.shown(atMost: 4096)) changes faster than it can be read. Try again later.")
  }

  /// Reads a file once; returns nil if it was removed, or was written during the read.
  private func readOnce(
    _ path: String, revision: Int64
  ) throws(KeyValueStoreError) -> FileSnapshot? {
    let start = FileStatus.now
    guard let file = try open(path) else { return nil }
    let before = try convertingErrors { () throws(SystemError) in try file.status() }
    try requireReadable(before)
    let (bytes, status) = try convertingErrors { () throws(SystemError) in
      (try file.read(from: 0, count: before.size), try file.status())
    }
    guard status.isUnchanged(since: before), bytes.count == status.size else { return nil }
    // A time more than a second in the future comes from another clock, such as a file server's.
    // A time within that second may result from a clock of finer resolution in the kernel.
    let isReliable = status.changed < start || status.changed > FileStatus.now + 1_000_000_000
    let contents = Result { () throws(KeyValueStoreError) in
      KeyValueContents(try parse(bytes), revision: revision)
    }
    return FileSnapshot(
      revision: revision, contents, status: status, hasReliableStatus: isReliable, file: file)
  }

  func open(_ path: String) throws(KeyValueStoreError) -> File? {
    do {
      return try fileSystem.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    } catch {
      if error.code == ENOENT { return nil }
      throw KeyValueStoreError(error)
    }
  }

  func requireReadable(_ status: FileStatus) throws(KeyValueStoreError) {
    guard status.isRegularFile else { throw .notAFile(path: resolvedPath) }
    guard status.size <= FormatLimits.fileSize else {
      throw .tooLarge(path: resolvedPath, limit: FormatLimits.fileSize)
    }
  }

  private func parse(_ bytes: [UInt8]) throws(KeyValueStoreError) -> ParsedFile {
    if bytes.isEmpty { throw .empty(path: resolvedPath) }
    do {
      var file = try coding.parse(bytes)
      // Most files are already sorted.
      let isSorted = zip(file.entries, file.entries.dropFirst()).allSatisfy { !($1.key < $0.key) }
      if !isSorted { file.entries.sort { $0.key < $1.key } }
      return file
    } catch {
      let offsets = [error.offset] + [error.firstOffset].compactMap(\.self)
      let positions = format == .binary ? [:] : TextPosition.all(of: offsets, in: bytes)
      let first = error.firstOffset.flatMap { positions[$0] }
      throw .unreadable(
        UnreadableFile(
          place: FilePlace(resolvedPath, positions[error.offset]),
          reason: error.reason.naming(first), offset: error.offset))
    }
  }

  /// The path for messages, with symbolic links resolved if possible.
  var resolvedPath: String { (try? fileSystem.resolve(path)) ?? path }
}

extension String {
  /// The reason for an error, with the place of the first of two equal keys, if there is one.
  func naming(_ first: TextPosition?) -> String {
    first.map { "\(self), first at line \($0.line), column \($0.column)" } ?? self
  }
}
