import StorageInternals
import ValueFormats

/// The content of a file at the time when it was read or written.
final class FileSnapshot: Sendable {
  let revision: Int64
  let parsed: Result<ParsedFile, KeyValueStoreError>
  /// The file's status; nil if the file did not exist.
  let status: FileStatus?
  /// Whether every later change also changes the status; false within the same clock tick.
  let hasReliableStatus: Bool
  /// The open file, whose inode number is not reused by a new file that could have an equal status.
  private let file: File?

  init(
    revision: Int64, _ parsed: Result<ParsedFile, KeyValueStoreError>, status: FileStatus?,
    hasReliableStatus: Bool, file: consuming File?
  ) {
    self.revision = revision
    self.parsed = parsed
    self.status = status
    self.hasReliableStatus = hasReliableStatus
    self.file = consume file
  }

  /// Creates the snapshot of a missing file.
  convenience init(absentAt revision: Int64) {
    self.init(
      revision: revision, .success(ParsedFile(entries: [])), status: nil, hasReliableStatus: true,
      file: nil)
  }

  var contents: KeyValueContents {
    get throws(KeyValueStoreError) {
      KeyValueContents(entries: try parsed.get().entries, revision: revision)
    }
  }

  /// Returns whether the file was not written between this snapshot and another.
  func isSame(as other: FileSnapshot) -> Bool {
    guard let status, let otherStatus = other.status else { return status == other.status }
    return status.hasSameContent(as: otherStatus)
  }

  /// Returns whether another snapshot has the same text.
  func hasContent(of other: FileSnapshot) throws(KeyValueStoreError) -> Bool {
    let (file, otherFile) = try (parsed.get(), other.parsed.get())
    return file.surroundings == otherFile.surroundings
      && file.entries.elementsEqual(otherFile.entries) { $0.key == $1.key && $0.text == $1.text }
  }

  /// Returns whether this snapshot is current if the file has a given status; nil if it is missing.
  func isCurrent(for newStatus: FileStatus?) -> Bool {
    guard let status, let newStatus else { return status == newStatus }
    return hasReliableStatus && status.hasSameContent(as: newStatus)
  }
}
