import CLibrary
import Concurrency
import StorageInternals

// Replacing the file with a new log.
extension FileRecordLog {
  func replace(
    keepingOld: Bool, beginning: LogBeginning,
    by make: () throws(SecretStoreError) -> (records: [LogRecord], position: LogPosition)?
  ) throws(SecretStoreError) -> SecretStoreError? {
    var new = try Replacement(of: self)
    try beginning { record throws(SecretStoreError) in try new.add(record) }
    try new.synchronize()
    let lock = try acquireWriteLock()
    guard let (records, position) = try make() else { return nil }
    for record in records { try new.add(record) }
    _ = try open(at: position, O_RDONLY)
    if keepingOld { try keepDamagedCopy(of: position) }
    do throws(SecretStoreError) {
      try install(new, holding: lock)
      return nil
    } catch {
      // Only the flush of the directory failed: it follows the rename, which replaced the file.
      guard case .uncertain = error else { throw error }
      return error
    }
  }

  /// Puts a new file in the place of the log's file, and removes temporary files of killed writers.
  func install(
    _ new: consuming Replacement, holding lock: borrowing FileLock
  ) throws(SecretStoreError) {
    try checkGrowth(to: new.count, by: 0)
    try mapErrors(fileSystem.removeTemporaryFiles(of: path, holding: lock))
    try new.install()
    // Otherwise, the replaced file would remain on the disk.
    openLog.withLock { $0 = nil }
    fillReserve(holding: lock)
  }

  /// Returns the last record that was written with a file, and its end; nil if it is unknown.
  func lastOfReplacement(
    _ file: borrowing File
  ) throws(SecretStoreError) -> (LogRecord, end: Int)? {
    func bytes(_ offset: Int, _ count: Int) throws(SecretStoreError) -> [UInt8] {
      try mapErrors(file.read(from: offset, count: count))
    }
    guard let header = try FileHeader(bytes(0, FileHeader.size)[...], cipher),
      header.version == FileHeader.version, header.lastRecord >= FileHeader.size,
      let count = Frame.payloadCount(in: try bytes(header.lastRecord, Frame.overhead)[...]),
      count <= KeyTableRecord.sizeLimit
    else { return nil }
    let frame = try bytes(header.lastRecord, Frame.overhead + count)
    var search = FrameSearch(frame[...], cipher)
    guard let record = try search.record(at: 0) else { return nil }
    return (record, header.lastRecord + frame.count)
  }

  /// A new file for the log, which has no name until it is complete, so that a killed writer rarely
  /// leaves it behind, or which is in memory if the file system has no unnamed files.
  struct Replacement: ~Copyable {
    private let log: FileRecordLog
    private let file: File?
    /// The bytes that are not written yet.
    private var rest: [UInt8]
    private var writtenCount = 0
    /// The offset of the last record's frame.
    private var lastRecord = 0

    /// The size of a write, in bytes; each is flushed, because a large flush delays other writers.
    private static let chunkSize = 8 << 20

    init(of log: FileRecordLog) throws(SecretStoreError) {
      let header = try FileHeader.encode(log.cipher)
      let (fileSystem, directory) = (log.fileSystem, log.directory)
      if try mapErrors(fileSystem.status(of: directory, followingLink: true)) == nil {
        try mapErrors(fileSystem.makeDirectories(directory))
      }
      file = try mapErrors(fileSystem.openReplacement(of: log.path, mode: 0o600))
      (self.log, rest) = (log, header)
    }

    var count: Int { writtenCount + rest.count }

    mutating func add(_ record: LogRecord) throws(SecretStoreError) {
      lastRecord = count
      Frame.encode(record, into: &rest)
      if rest.count >= Self.chunkSize { try synchronize() }
    }

    mutating func synchronize() throws(SecretStoreError) {
      try log.checkGrowth(to: count, by: 0)
      if file == nil { return }
      try mapErrors(file?.write(rest, at: writtenCount))
      try mapErrors(file?.synchronizeData())
      writtenCount += rest.count
      rest = []
    }

    /// Completes the file with its header, and replaces the log's file with it.
    consuming func install() throws(SecretStoreError) {
      let header = try FileHeader.encode(lastRecord: UInt32(clamping: lastRecord), log.cipher)
      let (log, count) = (log, count)
      var bytes = rest
      do throws(SystemError) {
        if let file {
          try file.write(bytes, at: writtenCount)
          try file.write(header, at: 0)
          // The umask may have removed permissions.
          try file.setMode(0o600, isSecret: true)
          if try log.fileSystem.replaceFile(at: log.path, with: file) { return }
          bytes = try file.read(from: 0, count: count)
        } else {
          bytes.replaceSubrange(..<header.count, with: header)
        }
        try log.fileSystem.replaceFile(at: log.path, with: bytes)
      } catch {
        throw SecretStoreError(error)
      }
    }
  }
}
