import CLibrary
import StorageInternals

extension FileRecordLog {
  /// A new file under construction, which takes the log's place when it is complete.
  ///
  /// It is unnamed until then, so that no leftover can exist and no reader can find it. In file
  /// systems without unnamed files, it is kept in memory.
  struct Replacement: ~Copyable {
    private let log: FileRecordLog
    private let file: File?
    /// The end of the file, which is not written yet, or all of it.
    private var rest: [UInt8]
    private var writtenCount = 0
    /// The offset of the last record's frame.
    private var lastRecord = 0

    /// The size of a write, in bytes. Each is flushed, because a large flush delays other writers.
    private static let chunk = 8 << 20

    init(of log: FileRecordLog) throws(SecretStoreError) {
      let header = try FileHeader.encode(log.cipher)
      let file = try system { () throws(SystemError) in
        try log.fileSystem.makingDirectories(for: log.path) { () throws(SystemError) in
          try log.fileSystem.openReplacement(of: log.path, mode: 0o600)
        }
      }
      (self.log, rest) = (log, header)
      self.file = file
    }

    /// Whether records are written before the file is put in place.
    var isOnDisk: Bool { file != nil }
    /// The size of the file, in bytes.
    var count: Int { writtenCount + rest.count }

    mutating func add(_ record: LogRecord) throws(SecretStoreError) {
      lastRecord = count
      Frame.encode(record, into: &rest)
      if rest.count >= Self.chunk, isOnDisk { try synchronize() }
    }

    /// Writes and flushes the records so far.
    mutating func synchronize() throws(SecretStoreError) {
      try log.checkGrowth(to: count, by: 0)
      try system { () throws(SystemError) in
        try write()
        try file?.synchronizeData()
      }
    }

    /// Puts the file in place, durably.
    consuming func install() throws(SecretStoreError) {
      let header = try FileHeader.encode(lastRecord: UInt32(clamping: lastRecord), log.cipher)
      let (log, count) = (log, count)
      var bytes = rest
      do throws(SystemError) {
        if let file {
          try file.write(bytes, at: writtenCount)
          try file.write(header, at: 0)
          // The umask may have removed permissions.
          try file.changeMode(to: 0o600)
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

    private mutating func write() throws(SystemError) {
      try file?.write(rest, at: writtenCount)
      writtenCount += rest.count
      rest = []
    }
  }
}
