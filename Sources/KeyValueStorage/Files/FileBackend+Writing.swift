import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

extension FileBackend {
  func update(
    _ state: inout FileBackendState, _ changes: (KeyValueContents) -> KeyValueChanges
  ) throws(KeyValueStoreError) -> KeyValueContents {
    let turn = try takeTurn()
    defer { withExtendedLifetime(turn) {} }
    sweepOnce(turn, &state)
    let base = try document(at: turn.target, &state)
    if let status = base.status { share(turn, with: status.owner) }
    let contents = try writableContents(of: base, state)
    let changes = changes(contents)
    if changes.isEmpty {
      try makeCertain(turn, &state)
      return contents
    }
    return try write(changes, to: contents, of: base, at: turn.target, &state)
  }

  /// What changes are made to.
  private func writableContents(
    of document: FileDocument, _ state: FileBackendState
  ) throws(KeyValueStoreError) -> KeyValueContents {
    if document.status?.size == 0, !state.hasSeenContent {
      // Nothing can be lost: somebody made an empty file for this store. One that had content
      // before was cut off by a crash, or somebody is about to write it.
      return KeyValueContents(entries: [], revision: document.revision)
    }
    return try document.contents.get()
  }

  private func write(
    _ changes: KeyValueChanges, to base: KeyValueContents, of document: FileDocument,
    at target: String, _ state: inout FileBackendState
  ) throws(KeyValueStoreError) -> KeyValueContents {
    let revision = state.nextRevision()
    var contents = KeyValueContents(entries: base.entries, revision: revision)
    contents.apply(changes, makingEntry: storedFormat.entry)
    let bytes = storedFormat.join(contents.entries, document.surroundings)
    guard bytes.count <= FormatLimits.fileSize else {
      throw .tooLarge(path: target, limit: FormatLimits.fileSize)
    }
    do throws(SystemError) {
      let written = try fileSystem.replaceFile(at: target, with: bytes, keeping: document.status)
      state.isUncertain = false
      state.hasSeenContent = true
      state.document = reopen(
        target, written, contents, document.surroundings, size: bytes.count)
    } catch {
      // The new content may be in place or not, and the temporary file too.
      state.document = nil
      state.isUncertain = true
      state.isSwept = false
      throw document.refusesOwner(error)
        ? .ownedByAnother(path: target) : KeyValueStoreError(error)
    }
    return contents
  }

  /// The document that was written; nil if that cannot be told, so that it is read at the next use.
  private func reopen(
    _ target: String, _ written: borrowing File, _ contents: KeyValueContents,
    _ surroundings: FileSurroundings, size: Int
  ) -> FileDocument? {
    do throws(SystemError) {
      // Not the one that was written to: open for writing, it would keep the file system from
      // being mounted read-only.
      let file = try fileSystem.open(target, O_RDONLY | O_NONBLOCK | O_NOCTTY)
      let status = try file.status()
      let own = try written.status()
      // Somebody who takes no turns may have put another file in place at once.
      guard status.isOfSameContent(as: own), status.size == size else { return nil }
      return FileDocument(contents, surroundings, status: status, file: file)
    } catch {
      // The write itself has succeeded.
      return nil
    }
  }

  /// Makes an earlier write outlast a power cut that could not be made so then.
  private func makeCertain(
    _ turn: borrowing FileTurn, _ state: inout FileBackendState
  ) throws(KeyValueStoreError) {
    guard state.isUncertain else { return }
    try system { () throws(SystemError) in
      try fileSystem.synchronizeDirectory(turn.target.parentDirectory)
    }
    state.isUncertain = false
  }

  /// Lets the owner of a file take turns at it, where an administrator was the first to write it.
  private func share(_ turn: borrowing FileTurn, with owner: uid_t) {
    do throws(SystemError) {
      try turn.lock.give(to: owner)
    } catch {
      // The owner will be told at the next write that the lock cannot be opened.
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
