#if canImport(Glibc)
  package import Glibc
#else
  package import Musl
#endif

/// An open file, closed when it goes out of scope.
package struct File: ~Copyable, Sendable {
  package let path: String
  private let descriptor: Int32
  private let fileSystem: FileSystem

  init(descriptor: Int32, path: String, fileSystem: FileSystem) {
    self.descriptor = descriptor
    self.path = path
    self.fileSystem = fileSystem
  }

  deinit {
    close(descriptor)
  }

  package func status() throws(SystemError) -> FileStatus {
    var status = stat()
    try fileSystem.check(.stat, path) { unsafe fstat(descriptor, &status) }
    return FileStatus(status)
  }

  /// The bytes from an offset on, up to a count, or to the end of the file if that comes first.
  package func read(from offset: Int, count: Int) throws(SystemError) -> [UInt8] {
    var failure: SystemError?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      do throws(SystemError) {
        while filled < count {
          let position = filled
          let got = try fileSystem.check(.read, path) {
            unsafe pread(
              descriptor, buffer.baseAddress! + position, count - position,
              off_t(offset + position))
          }
          if got == 0 { break }
          filled += got
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Writes all bytes at an offset, however many calls it takes.
  package func write(_ bytes: some Collection<UInt8>, at offset: Int) throws(SystemError) {
    let contiguous = ContiguousArray(bytes)
    var done = 0
    while done < contiguous.count {
      let position = done
      done += try fileSystem.check(.write, path) {
        unsafe contiguous.withUnsafeBytes { buffer in
          unsafe pwrite(
            descriptor, buffer.baseAddress! + position, buffer.count - position,
            off_t(offset + position))
        }
      }
    }
  }

  /// Makes the file's content durable, and of its metadata what reading it back needs.
  package func synchronizeData() throws(SystemError) {
    try fileSystem.check(.fdatasync, path) { fdatasync(descriptor) }
  }

  /// Makes the file's content and metadata durable.
  package func synchronize() throws(SystemError) {
    try fileSystem.check(.fsync, path) { fsync(descriptor) }
  }

  package func truncate(to size: Int) throws(SystemError) {
    try fileSystem.check(.ftruncate, path) { ftruncate(descriptor, off_t(size)) }
  }

  package func changeMode(to mode: mode_t) throws(SystemError) {
    try fileSystem.check(.fchmod, path) { fchmod(descriptor, mode) }
  }

  /// Waits until no other open file holds this file's lock; it is released with this file.
  package func lock() throws(SystemError) {
    try fileSystem.check(.flock, path) { flock(descriptor, LOCK_EX) }
  }

  package func unlock() {
    flock(descriptor, LOCK_UN)
  }
}
