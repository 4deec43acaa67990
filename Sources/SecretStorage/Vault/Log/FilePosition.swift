import StorageInternals

/// The position in a file that a ``LogPosition`` represents.
struct FilePosition {
  private let device: UInt64
  private let inode: UInt64
  /// The size of the file when it was last checked, in bytes.
  let size: Int
  /// In nanoseconds since 1970.
  let modified: Int64
  /// The end of the last record, in bytes from the beginning of the file.
  let end: Int

  init(_ status: FileStatus, end: Int) {
    (device, inode, size) = (status.device, status.inode, status.size)
    (modified, self.end) = (Int64(status.modified), end)
  }

  init(_ position: LogPosition) {
    let words = position.words
    (device, inode, size) = (words[0], words[1], Int(words[2]))
    (modified, end) = (Int64(bitPattern: words[3]), position.size)
  }

  var logPosition: LogPosition {
    LogPosition(size: end, words: [device, inode, UInt64(size), UInt64(bitPattern: modified)])
  }

  func isCurrent(for status: FileStatus) -> Bool {
    isOfFile(status) && size == status.size && modified == Int64(status.modified)
  }

  func isOfFile(_ status: FileStatus) -> Bool {
    device == status.device && inode == status.inode
  }
}

/// The identity of a log's file, as opposed to a later file that reuses its inode number.
struct FileIdentity: Equatable, Sendable {
  private let device: UInt64
  private let inode: UInt64
  /// The header and the digest of the first record, which every replacement of the file changes.
  private let beginning: [UInt8]

  init(of file: borrowing File) throws(SystemError) {
    let status = try file.status()
    (device, inode) = (status.device, status.inode)
    beginning = try file.read(from: 0, count: FileHeader.size + Frame.overhead)
  }
}
