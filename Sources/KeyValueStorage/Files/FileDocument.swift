import StorageInternals

/// What a file held when it was read or written.
final class FileDocument: Sendable {
  let revision: Int64
  let contents: Result<KeyValueContents, KeyValueStoreError>
  let surroundings: FileSurroundings
  /// The file's status; nil when there was none.
  let status: FileStatus?
  /// Whether every later change of the file gives it another status.
  ///
  /// Not so if it was changed within the tick of the kernel's clock in which it was read.
  let isSettled: Bool
  /// The file, open for reading.
  ///
  /// As long as it is, its inode number is not given to another file, which within one tick of the
  /// clock, and with the same size, would have the same status.
  private let file: File?

  /// A file that was read.
  init(
    revision: Int64, parsed: Result<ParsedFile, KeyValueStoreError>, status: FileStatus,
    isSettled: Bool, file: consuming File
  ) {
    self.revision = revision
    switch parsed {
    case .success(let parsed):
      contents = .success(KeyValueContents(entries: parsed.entries, revision: revision))
      surroundings = parsed.surroundings
    case .failure(let error):
      contents = .failure(error)
      surroundings = FileSurroundings()
    }
    self.status = status
    self.isSettled = isSettled
    self.file = consume file
  }

  /// A file that was written, and that every later write of another program gives another date.
  init(
    _ contents: KeyValueContents, _ surroundings: FileSurroundings, status: FileStatus,
    isSettled: Bool, file: consuming File
  ) {
    revision = contents.revision
    self.contents = .success(contents)
    self.surroundings = surroundings
    self.status = status
    self.isSettled = isSettled
    self.file = consume file
  }

  /// What there is to be known of no file.
  init(absentAt revision: Int64) {
    self.revision = revision
    contents = .success(KeyValueContents(entries: [], revision: revision))
    surroundings = FileSurroundings()
    status = nil
    isSettled = true
    file = nil
  }

  /// Whether another document is of the same file, not written to in between.
  func isSame(as other: FileDocument) -> Bool {
    guard let status, let otherStatus = other.status else {
      return status == nil && other.status == nil
    }
    return status.isOfSameContent(as: otherStatus)
  }

  /// Whether another document has the same entries, spelled in the same way.
  func hasContent(of other: FileDocument) throws(KeyValueStoreError) -> Bool {
    let (entries, others) = try (contents.get().entries, other.contents.get().entries)
    return surroundings == other.surroundings
      && entries.elementsEqual(others) { $0.key == $1.key && $0.text == $1.text }
  }

  /// Whether a file with this status, or no file, is still this document.
  func isCurrent(for other: FileStatus?) -> Bool {
    guard let status, let other else { return status == nil && other == nil }
    return isSettled && status.isOfSameContent(as: other)
  }
}

extension FileStatus {
  /// Whether a file was not written to between two looks at it.
  func isOfSameContent(as other: FileStatus) -> Bool {
    inode == other.inode && device == other.device && size == other.size
      && modified == other.modified && changed == other.changed
  }
}
