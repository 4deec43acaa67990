import CLibrary
import Concurrency
import FoundationEssentials
import SecretStorage
import StorageInternals

/// A file from which secrets were read.
struct SourceFile: Sendable {
  static let sizeLimit = 64 * 1024 * 1024

  let path: String
  private let status: FileStatus

  /// Reads a file, which may have any owner, and follows symbolic links.
  static func read(_ url: URL) throws(MigrationError) -> (file: SourceFile, bytes: [UInt8]) {
    if Fork.isChild { throw .store(.forked) }
    let path = url.path
    let (status, bytes) = try convertingError {
      () throws(SystemError) -> (FileStatus, [UInt8]) in
      // Opening a FIFO could otherwise block indefinitely.
      let file = try FileSystem().open(path, O_RDONLY | O_NONBLOCK)
      let status = try file.status()
      let isRead = status.isRegularFile && status.size <= sizeLimit
      return (status, isRead ? try file.read(from: 0, count: status.size) : [])
    }
    guard status.isRegularFile else {
      throw .unsupported(path: path, reason: "it is not a regular file")
    }
    guard status.size <= sizeLimit else {
      throw .unsupported(path: path, reason: "it is larger than \(sizeLimit >> 20) MiB")
    }
    return (SourceFile(path: path, status: status), bytes)
  }

  /// Throws if the path no longer leads to the unchanged file that was read.
  func checkRemovable() throws(MigrationError) {
    let change = try Self.convertingError { () throws(SystemError) in try status.change(of: path) }
    if let change { throw .notRemovable(path: path, reason: change) }
  }

  func remove() throws(MigrationError) {
    try checkRemovable()
    try Self.convertingError { () throws(SystemError) in try FileSystem().unlink(path) }
  }

  private static func convertingError<Result>(
    _ body: () throws(SystemError) -> Result
  ) throws(MigrationError) -> Result {
    do {
      return try body()
    } catch {
      throw .system(call: error.call.rawValue, path: error.path, code: error.code)
    }
  }
}
