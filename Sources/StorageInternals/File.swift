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
    // A count can come from a damaged file: no more memory is taken than there are bytes.
    let limit = count <= 65536 ? count : min(count, max(0, try status().size - offset))
    // An array made with room for nothing writes its count into the one empty array of the process,
    // which the thread sanitizer rightly calls a race.
    if limit <= 0 { return [] }
    var failure: SystemError?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
      do throws(SystemError) {
        while filled < limit {
          let position = filled
          let got = try fileSystem.check(.read, path) {
            unsafe pread(
              descriptor, buffer.baseAddress! + position, limit - position,
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
    let result = bytes.withContiguousStorageIfAvailable { buffer in
      unsafe writeAll(UnsafeRawBufferPointer(buffer), at: offset)
    }
    if let result { return try result.get() }
    try write(ContiguousArray(bytes), at: offset)
  }

  private func writeAll(
    _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) -> Result<Void, SystemError> {
    var done = 0
    while done < bytes.count {
      do throws(SystemError) {
        let written = try fileSystem.check(.write, path) {
          unsafe pwrite(
            descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(offset + done))
        }
        // A device that takes nothing and reports nothing would be asked for ever.
        if written == 0 { throw SystemError(call: .write, path: path, code: EIO) }
        done += written
      } catch {
        return .failure(error)
      }
    }
    return .success(())
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

  /// Changes owner and group, of which the greatest number leaves the one that is.
  package func changeOwner(to user: uid_t, group: gid_t) throws(SystemError) {
    try fileSystem.check(.fchown, path) { fchown(descriptor, user, group) }
  }

  /// Gives a file that has no name the one that it was made for.
  func takeName() throws(SystemError) {
    // Only a privileged process may link a descriptor itself.
    let source = "/proc/self/fd/\(descriptor)"
    try fileSystem.check(.link, at: path) {
      unsafe linkat(AT_FDCWD, source, AT_FDCWD, path, AT_SYMLINK_FOLLOW)
    }
  }

  /// Makes a call on this file, again when a signal interrupted it; throws what it reported.
  @discardableResult
  func check(
    _ call: FileSystem.Call, _ body: (Int32) -> Int32
  ) throws(SystemError) -> Int32 {
    try fileSystem.check(call, path) { body(descriptor) }
  }

  /// Gives a closure the descriptor, which is open as long as the closure runs.
  func withDescriptor<Result>(_ body: (Int32) -> Result) -> Result {
    body(descriptor)
  }

  /// Waits until no other open file holds this file's lock; it is released with this file.
  package func lock() throws(SystemError) {
    try check(.flock) { flock($0, LOCK_EX) }
  }
}
