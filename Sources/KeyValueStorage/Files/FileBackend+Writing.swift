import CLibrary
import Concurrency
import StorageInternals
import ValueFormats

extension FileBackend {
  /// Changes the file; `patience` limits the wait for other writers, nil means to fail at once.
  func update(
    within patience: Duration?, _ changes: (KeyValueContents) -> KeyValueChanges
  ) throws(KeyValueStoreError) -> KeyValueContents {
    let process = Fork.generation
    let turn = try takeTurn(within: patience)
    defer { withExtendedLifetime(turn) {} }
    removeStaleFilesOnce(turn)
    for _ in 0..<100 {
      let base = try documentToChange(at: turn.target)
      if let status = base.status { share(turn, with: status.owner) }
      let file = try writableFile(of: base)
      let contents = KeyValueContents(entries: file.entries, revision: base.revision)
      let changes = changes(contents)
      if process != Fork.generation { throw .forkedInside("a transaction") }
      if changes.isEmpty {
        try makeCertain(turn)
        return contents
      }
      if let written = try write(changes, to: file, of: base, at: turn.target) {
        return written
      }
      // A program without the lock wrote first: retry with its content as the base.
    }
    throw .unavailable("\(path) is changed faster than it can be written. Try again later.")
  }

  /// Returns the file's document; waits a moment for a file that was just removed.
  ///
  /// A program may remove a file and then create it again. A file created in between would be
  /// overwritten, or would make that program fail.
  private func documentToChange(at path: String) throws(KeyValueStoreError) -> FileDocument {
    while true {
      let document = try document(at: path)
      guard document.status == nil, let since = state.withLock({ $0.missingSince }),
        ContinuousClock.now - since < settlingTime
      else { return document }
      usleep(1000)
    }
  }

  /// Returns the content that the changes apply to.
  private func writableFile(
    of document: FileDocument
  ) throws(KeyValueStoreError) -> ParsedFile {
    if document.status?.size == 0, !state.withLock({ $0.hasSeenContent }) {
      // Nothing can be lost: an empty file was created for this store. A file that had content
      // before was truncated by a crash, or is being written.
      return ParsedFile(entries: [])
    }
    return try document.parsed.get()
  }

  /// Writes changes; returns nil if the file is not the one that they are based on.
  private func write(
    _ changes: KeyValueChanges, to file: ParsedFile, of document: FileDocument, at target: String
  ) throws(KeyValueStoreError) -> KeyValueContents? {
    var contents = KeyValueContents(
      entries: file.entries, revision: state.withLock { $0.nextRevision() })
    contents.apply(changes, makingEntry: storedFormat.entry)
    let bytes = storedFormat.join(contents.entries, file.surroundings)
    guard bytes.count <= FormatLimits.fileSize else {
      throw .tooLarge(path: target, limit: FormatLimits.fileSize)
    }
    do throws(SystemError) {
      let written = try fileSystem.replaceFile(
        at: target, with: bytes, expecting: document.status
      ) { path throws(SystemError) in try isUntouched(path, document) }
      guard let written else {
        state.withLock { $0.hasRemovedStaleFiles = false }
        return nil
      }
      return note(
        written, contents, file.surroundings, of: document, at: target, size: bytes.count)
    } catch {
      // The new content may be in place, and the temporary file may be left.
      state.withLock { state in
        state.document = nil
        state.isUncertain = true
        state.hasRemovedStaleFiles = false
      }
      throw document.refusesOwner(error)
        ? .ownedByAnother(path: target) : KeyValueStoreError(error)
    }
  }

  /// Records the written document, with a revision that orders it among the documents read.
  private func note(
    _ written: borrowing FileSystem.Replacement, _ contents: KeyValueContents,
    _ surroundings: FileSurroundings, of base: FileDocument, at target: String, size: Int
  ) -> KeyValueContents {
    state.withLock { state in
      state.isUncertain = false
      state.hasSeenContent = true
      if written.hasLeftover { state.hasRemovedStaleFiles = false }
      let newest = KeyValueContents(entries: contents.entries, revision: state.nextRevision())
      let document = reopen(target, written, newest, surroundings, size: size)
      if document == nil, let found = state.document, !base.isSame(as: found) {
        // A reader has already seen a later write of another program.
        return contents
      }
      state.document = document
      return newest
    }
  }

  /// Returns the written document; nil if it is uncertain, so that the next use reads it.
  private func reopen(
    _ target: String, _ written: borrowing FileSystem.Replacement, _ contents: KeyValueContents,
    _ surroundings: FileSurroundings, size: Int
  ) -> FileDocument? {
    do throws(SystemError) {
      // A new descriptor, because a writable one would keep the file system from being mounted
      // read-only.
      let file = try fileSystem.open(target, O_RDONLY | O_NONBLOCK | O_NOCTTY)
      let status = try file.status()
      let own = try written.file.status()
      // A program without the lock may have replaced or written the file at once.
      guard status.isOfSameContent(as: own), status.size == size,
        written.modified.map({ $0 == status.modified }) ?? true
      else { return nil }
      return FileDocument(
        revision: contents.revision,
        .success(ParsedFile(entries: contents.entries, surroundings: surroundings)),
        status: status, isSettled: written.modified != nil, file: file)
    } catch {
      // The write itself has succeeded.
      return nil
    }
  }

  /// Flushes the directory again after an earlier write that failed to do so.
  private func makeCertain(_ turn: borrowing FileLockScope) throws(KeyValueStoreError) {
    guard state.withLock({ $0.isUncertain }) else { return }
    try system { () throws(SystemError) in
      try fileSystem.synchronizeDirectory(turn.target.parentDirectory)
    }
    state.withLock { $0.isUncertain = false }
  }

  /// Gives the lock to the file's owner, if an administrator was the first to write the file.
  private func share(_ turn: borrowing FileLockScope, with owner: uid_t) {
    do throws(SystemError) {
      try turn.lock.give(to: owner)
    } catch {
      // The owner's next write reports that the lock cannot be opened.
    }
  }
}

extension FileDocument {
  /// Whether a write failed because the file's owner cannot be kept.
  fileprivate func refusesOwner(_ error: SystemError) -> Bool {
    // `EINVAL` means a user that the container does not have.
    error.call == .fchown && [EPERM, EINVAL].contains(error.code)
      && status?.owner != geteuid()
  }
}
