import StorageInternals
import ValueFormats

/// The status and parsed content of a file, as last read or written.
final class FileSnapshot: Sendable {
  let revision: Int64
  let parsed: Result<ParsedFile, KeyValueStoreError>
  /// The file's status; nil if the file did not exist.
  let status: FileStatus?
  /// Whether every later change also changes the status.
  ///
  /// A change within the same clock tick as the last one would not change the status.
  let hasReliableStatus: Bool
  /// The open file, which prevents a new file from reusing its inode number.
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

  var contents: KeyValueContents {
    get throws(KeyValueStoreError) {
      KeyValueContents(entries: try parsed.get().entries, revision: revision)
    }
  }

  /// Whether the writer of the file may still restore the file that it replaced.
  var isProvisional: Bool { file?.isProvisional() ?? false }

  func synchronize() throws(SystemError) { try file?.synchronize() }

  /// Returns whether the file still has the given status, or is still missing if that is nil.
  func isUnchanged(since otherStatus: FileStatus?) -> Bool {
    guard let status, let otherStatus else { return status == otherStatus }
    return status.isUnchanged(since: otherStatus)
  }
}
