import Concurrency
import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

extension FileBackend {
  /// Changes the file; `patience` is how long to wait for other writers, nil to fail at once if
  /// there is one.
  func update(
    within patience: Duration?, _ changes: (KeyValueContents) -> KeyValueChanges
  ) throws(KeyValueStoreError) -> KeyValueContents {
    let process = Fork.generation
    let turn = try takeTurn(within: patience)
    defer { withExtendedLifetime(turn) {} }
    sweepOnce(turn)
    for _ in 0..<100 {
      let base = try documentToChange(at: turn.target)
      if let status = base.status { share(turn, with: status.owner) }
      let contents = try writableContents(of: base)
      let changes = changes(contents)
      if process != Fork.generation { throw .forkedInside("a transaction") }
      if changes.isEmpty {
        try makeCertain(turn)
        return contents
      }
      if let written = try write(changes, to: contents, of: base, at: turn.target) {
        return written
      }
      // A program without the lock was faster: what it wrote is the base of the next attempt.
    }
    throw .unavailable("\(path) is changed faster than it can be written. Try again later.")
  }

  /// What the file holds; one that was removed just before has a moment to come back.
  ///
  /// A program may remove a file and make it anew. A file that is made in between would be in its
  /// way: the program overwrites it, or refuses to.
  private func documentToChange(at path: String) throws(KeyValueStoreError) -> FileDocument {
    while true {
      let document = try document(at: path)
      guard document.status == nil, let since = withState({ $0.missingSince }),
        ContinuousClock.now - since < settlingTime
      else { return document }
      usleep(1000)
    }
  }

  /// What changes are made to.
  private func writableContents(
    of document: FileDocument
  ) throws(KeyValueStoreError) -> KeyValueContents {
    if document.status?.size == 0, !withState({ $0.hasSeenContent }) {
      // Nothing can be lost: an empty file was made for this store. One that had content before was
      // cut off by a crash, or is just being written.
      return KeyValueContents(entries: [], revision: document.revision)
    }
    return try document.contents.get()
  }

  /// Writes changes; returns nil if the file is not the one that they were made to.
  private func write(
    _ changes: KeyValueChanges, to base: KeyValueContents, of document: FileDocument,
    at target: String
  ) throws(KeyValueStoreError) -> KeyValueContents? {
    var contents = KeyValueContents(
      entries: base.entries, revision: withState { $0.nextRevision() })
    contents.apply(changes, makingEntry: storedFormat.entry)
    let bytes = storedFormat.join(contents.entries, document.surroundings)
    guard bytes.count <= FormatLimits.fileSize else {
      throw .tooLarge(path: target, limit: FormatLimits.fileSize)
    }
    do throws(SystemError) {
      let written = try fileSystem.replaceFile(
        at: target, with: bytes, expecting: document.status
      ) { path throws(SystemError) in try isUntouched(path, document) }
      guard let written else {
        withState { $0.isSwept = false }
        return nil
      }
      return note(written, contents, of: document, at: target, size: bytes.count)
    } catch {
      // The new content may be in place or not, and the temporary file too.
      withState { state in
        state.document = nil
        state.isUncertain = true
        state.isSwept = false
      }
      throw document.refusesOwner(error)
        ? .ownedByAnother(path: target) : KeyValueStoreError(error)
    }
  }

  /// Notes what was written, and gives it a revision that puts it in order with what readers find.
  private func note(
    _ written: borrowing FileSystem.Replacement, _ contents: KeyValueContents,
    of base: FileDocument, at target: String, size: Int
  ) -> KeyValueContents {
    withState { state in
      state.isUncertain = false
      state.hasSeenContent = true
      if written.hasLeftover { state.isSwept = false }
      let newest = KeyValueContents(entries: contents.entries, revision: state.nextRevision())
      let document = reopen(target, written, newest, base.surroundings, size: size)
      if document == nil, let found = state.document, !base.isSame(as: found) {
        // A reader was told already of what another program wrote since.
        return contents
      }
      state.document = document
      return newest
    }
  }

  /// The document that was written; nil if that cannot be told, so that it is read at the next use.
  private func reopen(
    _ target: String, _ written: borrowing FileSystem.Replacement, _ contents: KeyValueContents,
    _ surroundings: FileSurroundings, size: Int
  ) -> FileDocument? {
    do throws(SystemError) {
      // Not the one that was written to: open for writing, it would keep the file system from
      // being mounted read-only.
      let file = try fileSystem.open(target, O_RDONLY | O_NONBLOCK | O_NOCTTY)
      let status = try file.status()
      let own = try written.file.status()
      // A program without the lock may have put another file in place at once, or written to it.
      guard status.isOfSameContent(as: own), status.size == size,
        written.modified.map({ $0 == status.modified }) ?? true
      else { return nil }
      return FileDocument(
        contents, surroundings, status: status, isSettled: written.modified != nil, file: file)
    } catch {
      // The write itself has succeeded.
      return nil
    }
  }

  /// Makes an earlier write outlast a power cut that could not be made so then.
  private func makeCertain(_ turn: borrowing FileTurn) throws(KeyValueStoreError) {
    guard withState({ $0.isUncertain }) else { return }
    try system { () throws(SystemError) in
      try fileSystem.synchronizeDirectory(turn.target.parentDirectory)
    }
    withState { $0.isUncertain = false }
  }

  /// Lets the owner of a file take its lock, where an administrator was the first to write it.
  private func share(_ turn: borrowing FileTurn, with owner: uid_t) {
    do throws(SystemError) {
      try turn.lock.give(to: owner)
    } catch {
      // The owner is told at the next write that the lock cannot be opened.
    }
  }
}

extension FileDocument {
  /// Whether a write failed because the file's owner cannot be kept.
  fileprivate func refusesOwner(_ error: SystemError) -> Bool {
    // Invalid are users that a container does not have.
    error.call == .fchown && [EPERM, EINVAL].contains(error.code)
      && status?.owner != geteuid()
  }
}
