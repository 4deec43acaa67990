import StorageInternals

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

extension FileStatus {
  /// The state of a log's file: its device and inode, its size, and its time of modification.
  var logState: SIMD4<UInt64> {
    SIMD4(device, inode, UInt64(size), UInt64(bitPattern: Int64(modified)))
  }
}
