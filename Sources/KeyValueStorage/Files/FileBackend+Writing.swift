import CLibrary
import Concurrency
import StorageInternals
import Synchronization
import ValueFormats

// Writing of the file under its lock.
extension FileBackend {
  func update<Result>(
    within timeout: Duration?,
    _ changes: (KeyValueContents) throws(KeyValueStoreError) -> (KeyValueChanges, Result)
  ) throws(KeyValueStoreError) -> (KeyValueContents, Result) {
    let scope = try lockFile(within: timeout)
    defer { withExtendedLifetime(scope) {} }
    if !hasRemovedStaleFiles.load(ordering: .relaxed) { removeStaleFiles(scope) }
    for _ in 0..<100 {
      var base = try snapshot(at: scope.target)
      // A program that removes and recreates the file would overwrite a file created in between.
      while base.status == nil, let missingSince = state.withLock({ $0.missingSince }),
        ContinuousClock.now - missingSince < gracePeriod
      {
        usleep(1000)
        base = try snapshot(at: scope.target)
      }
      if geteuid() == 0 {
        // An administrator may have created the lock file.
        do throws(SystemError) {
          try scope.lock.changeOwner(
            forDataAt: scope.target, ownedBy: base.status?.owner, in: fileSystem)
        } catch {
          // The next write of the file's owner reports that the lock cannot be opened.
        }
      }
      // A file that was created empty has no entries. One that had content before was truncated by
      // a crash, or is being written by another program.
      let isNew = base.status?.size == 0 && !state.withLock { $0.hasSeenContent }
      let file = try isNew ? ParsedFile(entries: []) : base.parsed.get()
      let contents = KeyValueContents(entries: file.entries, revision: base.revision)
      let (changes, result) = try changes(contents)
      if changes.byKey.isEmpty {
        if changes.confirmsStoredValues { try flush(base, at: scope.target) }
        return (contents, result)
      }
      if base.status?.isReadOnly == true { throw .readOnly(path: scope.target) }
      if let written = try write(changes, to: contents, file.surroundings, base, scope.target) {
        return (written, result)
      }
      // Another program wrote first, without acquiring the lock. Retry, based on its content.
    }
    throw .unavailable("\(path) changes faster than it can be written. Try again later.")
  }

  /// Acquires the file's lock, and creates missing directories; does not wait if `timeout` is nil.
  func lockFile(within timeout: Duration?) throws(KeyValueStoreError) -> FileLockScope {
    do throws(SystemError) {
      var target = try fileSystem.resolve(path)
      while true {
        let path = FileLockScope.lockPath(for: target)
        let lock: FileLock
        if let timeout {
          lock = try FileLock(at: path, in: fileSystem, timeout: timeout)
        } else if let free = try FileLock.ifFree(at: path, in: fileSystem) {
          lock = free
        } else {
          throw SystemError(call: .flock, path: path, code: ETIMEDOUT)
        }
        // A symbolic link in the path may have changed during the wait.
        let current = try fileSystem.resolve(self.path)
        if current.isSamePath(as: target) { return FileLockScope(target: target, lock: lock) }
        target = current
      }
    } catch {
      throw KeyValueStoreError(error)
    }
  }

  /// Writes changes; returns nil if another program has changed the file that they are based on.
  private func write(
    _ changes: KeyValueChanges, to contents: KeyValueContents, _ surroundings: FileSurroundings,
    _ snapshot: FileSnapshot, _ target: String
  ) throws(KeyValueStoreError) -> KeyValueContents? {
    // Waits for a read that has begun, which may find what another program writes after this.
    let revision = state.withLock { $0.nextRevision() }
    var contents = KeyValueContents(entries: contents.entries, revision: revision)
    contents.apply(changes, makingEntry: coding.entry)
    let bytes = coding.join(contents.entries, surroundings)
    guard bytes.count <= FormatLimits.fileSize else {
      throw .tooLarge(path: target, limit: FormatLimits.fileSize)
    }
    do throws(SystemError) {
      let written = try fileSystem.replaceFile(
        at: target, with: bytes, expecting: snapshot.status
      ) { path throws(SystemError) in try hasUnchangedContent(path, snapshot) }
      guard let written else {
        hasRemovedStaleFiles.store(false, ordering: .relaxed)
        return nil
      }
      return record(written, contents, surroundings, of: snapshot, at: target, size: bytes.count)
    } catch {
      // The new content may already be in place, and the temporary file may remain.
      state.withLock { $0.snapshot = nil }
      hasRemovedStaleFiles.store(false, ordering: .relaxed)
      // The new file cannot have the same owner; `EINVAL` means that the user namespace lacks it.
      let cannotCopyOwner = error.call == .fchown && [EPERM, EINVAL].contains(error.code)
      throw cannotCopyOwner && snapshot.status?.owner != geteuid()
        ? .ownedByAnother(path: target) : KeyValueStoreError(error)
    }
  }

  /// Caches a snapshot of the written file, with a revision later than that of any snapshot read.
  private func record(
    _ written: borrowing FileSystem.Replacement, _ contents: KeyValueContents,
    _ surroundings: FileSurroundings, of base: FileSnapshot, at target: String, size: Int
  ) -> KeyValueContents {
    state.withLock { state in
      state.hasSeenContent = true
      if written.hasTemporaryFile { hasRemovedStaleFiles.store(false, ordering: .relaxed) }
      let newest = KeyValueContents(entries: contents.entries, revision: state.nextRevision())
      state.flushedRevision = newest.revision
      var snapshot: FileSnapshot?
      do throws(SystemError) {
        // A writable descriptor would prevent the file system from being remounted read-only.
        let file = try fileSystem.open(target, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        let (status, writtenStatus) = (try file.status(), try written.file.status())
        // A program that does not acquire the lock may already have replaced or written the file.
        if status.isUnchanged(since: writtenStatus), status.size == size,
          written.modified.map({ $0 == status.modified }) ?? true
        {
          snapshot = FileSnapshot(
            revision: newest.revision,
            .success(ParsedFile(entries: newest.entries, surroundings: surroundings)),
            status: status, hasReliableStatus: written.modified != nil, file: file)
        }
      } catch {
        // The write itself succeeded, and the file is read again.
      }
      if snapshot == nil, let found = state.snapshot, !found.isUnchanged(since: base.status) {
        // A later write by another program has already been read.
        return contents
      }
      state.snapshot = snapshot
      return newest
    }
  }

  /// Flushes a file and its directory, unless this backend has already flushed this version.
  ///
  /// Its writer may have been another program, a process that was killed, or a failed write.
  private func flush(_ snapshot: FileSnapshot, at target: String) throws(KeyValueStoreError) {
    if state.withLock({ $0.flushedRevision }) == snapshot.revision { return }
    try convertingErrors { () throws(SystemError) in
      try snapshot.synchronize()
      try fileSystem.synchronizeDirectory(target.parentDirectory)
    }
    state.withLock { $0.flushedRevision = snapshot.revision }
  }
}

/// A file whose lock this process holds.
struct FileLockScope: ~Copyable {
  /// The path of the file, with symbolic links resolved.
  let target: String
  let lock: FileLock

  static func lockPath(for target: String) -> String { target.companion(".lock", prefix: ".") }
}
