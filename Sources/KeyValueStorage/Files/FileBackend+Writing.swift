import CLibrary
import Concurrency
import StorageInternals
import Synchronization
import ValueFormats

// Writing the file under its lock.
extension FileBackend {
  func update<Result>(
    within timeout: Duration?,
    _ changes: (KeyValueContents) throws(KeyValueStoreError) -> (KeyValueChanges, Result)
  ) throws(KeyValueStoreError) -> (KeyValueContents, Result) {
    var target = path
    let lock = try lockFile(at: &target, within: timeout)
    defer { withExtendedLifetime(lock) {} }
    if !hasRemovedStaleFiles.load(ordering: .relaxed) { removeStaleFiles(of: target, lock) }
    for _ in 0..<100 {
      var base = try snapshot(at: target)
      // A program that removes and recreates the file would overwrite a file created in between.
      while base.status == nil, let missingSince = state.withLock({ $0.missingSince }),
        ContinuousClock.now - missingSince < gracePeriod
      {
        usleep(1000)
        base = try snapshot(at: target)
      }
      if geteuid() == 0 {
        // An administrator may have created the lock file. After a failure, the next write of the
        // file's owner reports that the lock cannot be opened.
        try? lock.changeOwner(forDataAt: target, ownedBy: base.status?.owner, in: fileSystem)
      }
      // A file that was created empty has no entries. One that had content before was truncated by
      // a crash, or is being written by another program.
      let isNew = base.status?.size == 0 && !state.withLock { $0.hasSeenContent }
      let contents = try isNew ? KeyValueContents(revision: base.revision) : base.contents.get()
      let (changes, result) = try changes(contents)
      // A child that a migration has forked does not have the lock.
      try KeyValueStoreError.checkProcess()
      if changes.byKey.isEmpty {
        if changes.confirmsStoredValues { try flush(base, at: target) }
        return (contents, result)
      }
      if base.status?.isReadOnly == true { throw .readOnly(path: target) }
      if let written = try write(changes, to: contents, base, target) {
        return (written, result)
      }
      // Another program wrote first, without acquiring the lock. Retry, based on its content.
    }
    throw .unavailable(
      "\(path.shown(atMost: 4096)) changes faster than it can be written. Try again later.")
  }

  /// Resolves the symbolic links of a file's path, acquires the file's lock, and creates missing
  /// directories; there is no wait if `timeout` is nil.
  func lockFile(
    at target: inout String, within timeout: Duration?
  ) throws(KeyValueStoreError) -> FileLock {
    try convertingErrors { () throws(SystemError) in
      target = try fileSystem.resolve(path)
      while true {
        let lockPath = target.companion(".lock", prefix: ".")
        let lock: FileLock
        if let timeout {
          lock = try FileLock(at: lockPath, in: fileSystem, timeout: timeout)
        } else if let free = try FileLock.ifFree(at: lockPath, in: fileSystem) {
          lock = free
        } else {
          throw SystemError(call: .flock, path: lockPath, code: ETIMEDOUT)
        }
        // A symbolic link in the path may have changed during the wait.
        let current = try fileSystem.resolve(path)
        if current.isSamePath(as: target) { return lock }
        target = current
      }
    }
  }

  /// Writes changes; returns nil if another program has changed the file that they are based on.
  private func write(
    _ changes: KeyValueChanges, to contents: KeyValueContents, _ base: FileSnapshot,
    _ target: String
  ) throws(KeyValueStoreError) -> KeyValueContents? {
    var contents = contents
    contents.apply(changes, in: coding)
    let bytes = coding.join(contents.parts, contents.surroundings)
    guard bytes.count <= FormatLimits.fileSize else {
      throw .tooLarge(path: target, limit: FormatLimits.fileSize)
    }
    do throws(SystemError) {
      let written = try fileSystem.replaceFile(at: target, with: bytes, expecting: base.status) {
        hasUnchangedContent($0, base)
      }
      guard let written else {
        hasRemovedStaleFiles.store(false, ordering: .relaxed)
        return nil
      }
      return record(written, contents, base, target, size: bytes.count)
    } catch {
      // The new content may already be in place, and the temporary file may remain.
      state.withLock { $0.snapshot = nil }
      hasRemovedStaleFiles.store(false, ordering: .relaxed)
      // The new file cannot have the same owner; `EINVAL` means that the user namespace lacks it.
      let cannotCopyOwner = error.call == .fchown && [EPERM, EINVAL].contains(error.code)
      throw cannotCopyOwner && base.status?.owner != geteuid()
        ? .ownedByAnother(path: target) : KeyValueStoreError(error)
    }
  }

  /// Caches a snapshot of the written file, and returns its contents.
  private func record(
    _ written: borrowing FileSystem.Replacement, _ contents: KeyValueContents,
    _ base: FileSnapshot, _ target: String, size: Int
  ) -> KeyValueContents {
    var contents = contents
    state.withLock { state in
      state.hasSeenContent = true
      if written.hasTemporaryFile { hasRemovedStaleFiles.store(false, ordering: .relaxed) }
      contents.revision = state.nextRevision()
      state.flushedRevision = contents.revision
      var snapshot: FileSnapshot?
      do throws(SystemError) {
        // A writable descriptor would prevent the file system from being remounted read-only.
        let file = try fileSystem.open(target, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        let status = try file.status()
        // A program that does not acquire the lock may already have replaced or written the file.
        if status.isUnmodified(since: written.status), status.size == size {
          snapshot = FileSnapshot(
            revision: contents.revision, .success(contents), status: status,
            hasReliableStatus: written.hasOwnTime, file: file)
        }
      } catch {
        // The write itself succeeded, and the file is read again.
      }
      if snapshot == nil, let found = state.snapshot, !found.isUnchanged(since: base.status) {
        // A later write by another program has already been read, and is newer. Each snapshot that
        // was read before it has a lower even revision.
        contents.revision = found.revision - 1
      } else {
        state.snapshot = snapshot
      }
    }
    return contents
  }

  /// Flushes a file and its directory, unless this backend has already flushed this version.
  ///
  /// Another program, a killed process or a failed write may have left the version unflushed.
  private func flush(_ snapshot: FileSnapshot, at target: String) throws(KeyValueStoreError) {
    if state.withLock({ $0.flushedRevision }) == snapshot.revision { return }
    try convertingErrors { () throws(SystemError) in
      try snapshot.synchronize()
      try fileSystem.synchronizeDirectory(target.parentDirectory)
    }
    state.withLock { $0.flushedRevision = snapshot.revision }
  }
}
