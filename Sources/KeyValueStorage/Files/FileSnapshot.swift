import StorageInternals
import ValueFormats

/// The status and parsed content of a file, as last read or written.
final class FileSnapshot: Sendable {
  let revision: Int64
  let contents: Result<KeyValueContents, KeyValueStoreError>
  /// The file's status; nil if the file did not exist.
  let status: FileStatus?
  /// Whether every later change also changes the status.
  ///
  /// A change within the same clock tick as the last one would not change the status.
  let hasReliableStatus: Bool
  /// The open file, which prevents a new file from reusing its inode number.
  private let file: File?

  init(
    revision: Int64, _ contents: Result<KeyValueContents, KeyValueStoreError>,
    status: FileStatus?, hasReliableStatus: Bool, file: consuming File?
  ) {
    self.revision = revision
    self.contents = contents
    self.status = status
    self.hasReliableStatus = hasReliableStatus
    self.file = consume file
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
