package import CLibrary
import Concurrency

/// An open file, which is closed when the value is destroyed.
package struct File: ~Copyable, Sendable {
  package let path: String
  let descriptor: Int32
  let fileSystem: FileSystem

  deinit { Fork.closeFile(descriptor) }

  package func status() throws(SystemError) -> FileStatus {
    var status = stat()
    try fileSystem.check(.stat, path) { unsafe fstat(descriptor, &status) }
    return FileStatus(status)
  }

  /// Reads `count` bytes from an offset, or fewer at the end of the file.
  package func read(from offset: Int, count: Int) throws(SystemError) -> [UInt8] {
    // The count may come from a damaged file, so the file's size limits the allocation.
    let limit = count <= 65536 ? count : min(count, max(0, try status().size - offset))
    if limit <= 0 { return [] }
    var failure: SystemError?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
      do throws(SystemError) {
        filled = unsafe try read(into: UnsafeMutableRawBufferPointer(buffer), from: offset)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Fills a buffer, or a part of it at the end of the file; returns the number of bytes read.
  package func read(
    into buffer: UnsafeMutableRawBufferPointer, from offset: Int
  ) throws(SystemError) -> Int {
    var filled = 0
    while filled < buffer.count {
      let position = filled
      let count = try fileSystem.check(.read, path) {
        unsafe pread(
          descriptor, buffer.baseAddress! + position, buffer.count - position,
          off_t(offset + position))
      }
      if count == 0 { break }
      filled += count
    }
    return filled
  }

  package func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
    _ = try write(bytes, at: offset, atLeast: bytes.count)
  }

  /// Writes bytes, of which only `required` are necessary; returns the number of those written.
  package func write(
    _ bytes: [UInt8], at offset: Int, atLeast required: Int
  ) throws(SystemError) -> Int {
    var done = 0
    while done < required {
      let start = done
      let written = try fileSystem.check(.write, path) {
        unsafe bytes.withUnsafeBytes {
          unsafe pwrite(
            descriptor, $0.baseAddress! + start, bytes.count - start, off_t(offset + start))
        }
      }
      // Retrying could loop forever on a device that writes nothing and reports no error.
      if written == 0 { throw SystemError(call: .write, path: path, code: EIO) }
      done += written
    }
    return done
  }

  package func synchronizeData() throws(SystemError) {
    try fileSystem.check(.fdatasync, path) { fdatasync(descriptor) }
  }

  package func synchronize() throws(SystemError) {
    try fileSystem.check(.fsync, path) { fsync(descriptor) }
  }

  package func truncate(to size: Int) throws(SystemError) {
    try fileSystem.check(.ftruncate, path) { ftruncate(descriptor, off_t(size)) }
  }

  /// Creates a link to an unnamed file at its path; returns false if `/proc` is missing.
  func link() throws(SystemError) -> Bool {
    // Linking the descriptor itself requires privileges.
    let source = "/proc/self/fd/\(descriptor)"
    do {
      try fileSystem.check(.link, at: path) {
        unsafe linkat(
          AT_FDCWD, source, fileSystem.directory, fileSystem.name(path), AT_SYMLINK_FOLLOW)
      }
      return true
    } catch let error where error.isUnsupported || error.code == ENOENT {
      return false
    }
  }

  /// Whether any process has the file open for writing; false if that cannot be determined.
  ///
  /// The kernel grants the file's owner a read lease only if the file is not open for writing.
  var isOpenForWriting: Bool {
    // If a process opens the file during the lease, the kernel signals this process. The default
    // signal would terminate it; SIGURG is ignored by default.
    guard fcntl(descriptor, Self.setSignal, SIGURG) == 0 else { return false }
    if fcntl(descriptor, Self.setLease, CInt(F_RDLCK)) == 0 {
      _ = fcntl(descriptor, Self.setLease, CInt(F_UNLCK))
      return false
    }
    return errno == EAGAIN
  }

  // Swift does not import F_SETSIG and F_SETLEASE from <fcntl.h>.
  private static var setSignal: Int32 { 10 }
  private static var setLease: Int32 { 1024 }

  /// Acquires the lock (`flock`), or returns false if another open file holds it.
  package func lockIfFree() throws(SystemError) -> Bool {
    do {
      try fileSystem.check(.flock, path) { flock(descriptor, LOCK_EX | LOCK_NB) }
      return true
    } catch let error where error.code == EWOULDBLOCK {
      return false
    }
  }

  /// Releases the lock, even if a child that is being forked still has the file open.
  package func unlock() { _ = flock(descriptor, LOCK_UN) }

  var lockHolder: pid_t? {
    // The holder is only a detail of an error message.
    guard let status = try? status(),
      let locks = try? FileSystem().open("/proc/locks", O_RDONLY).read(from: 0, count: 65536)
    else { return nil }
    let major = (status.device >> 8) & 0xFFF | (status.device >> 32) & ~0xFFF
    let minor = status.device & 0xFF | (status.device >> 12) & ~0xFF
    let name = "\(major.hexadecimal(digits: 2)):\(minor.hexadecimal(digits: 2)):\(status.inode)"
    for line in locks.split(separator: UInt8(ascii: "\n")) {
      // 7: FLOCK  ADVISORY  WRITE 10215 fe:00:16238816 0 EOF
      let words = line.split(separator: UInt8(ascii: " ")).map {
        String(decoding: $0, as: UTF8.self)
      }
      guard words.count > 5, words[1] == "FLOCK", words[5] == name else { continue }
      // A process that has ended may have left its lock to a child.
      return pid_t(words[4]).flatMap { $0 > 0 && (kill($0, 0) == 0 || errno == EPERM) ? $0 : nil }
    }
    return nil
  }

  // Each process that waits for the lock has a place in the queue: a record lock on a byte after
  // the bytes of the processes that wait longer. Child processes do not inherit record locks.

  /// Returns a process in the queue, at or after a place; nil if there is none.
  func waitingProcess(from place: off_t = 0) -> pid_t? {
    recordLock(F_GETLK, F_WRLCK, from: place).conflict?.l_pid
  }

  /// Takes and returns the last place in the queue; nil if another process is entering the queue.
  ///
  /// If record locks are not supported, the place is always 0.
  func enterQueue() -> off_t? {
    var place: off_t = 0
    for _ in 0..<1000 {
      // A lock to the end of the file excludes the other processes from all later places.
      if recordLock(F_SETLK, F_WRLCK, from: place).code == 0 {
        _ = recordLock(F_SETLK, F_UNLCK, from: place + 1)
        return place
      }
      guard errno == EAGAIN || errno == EACCES else { return 0 }
      let (code, conflict) = recordLock(F_GETLK, F_WRLCK, from: place)
      if code != 0 { return 0 }
      guard let conflict else { continue }
      // Another program may hold a lock anywhere.
      guard conflict.l_len == 1, conflict.l_start < 1 << 48 else { return nil }
      place = conflict.l_start + 1
    }
    return nil
  }

  /// Returns the approximate number of processes before a place.
  func waitingCount(before place: off_t) -> Int {
    guard place > 0,
      let conflict = recordLock(F_GETLK, F_WRLCK, from: 0, count: place).conflict
    else { return 0 }
    return Int(max(1, place - conflict.l_start))
  }

  /// Whether `flock` is emulated by a record lock of the whole file, as on NFS and SMB.
  ///
  /// Such a lock would conflict with this process's own place in the queue.
  var hasEmulatedLock: Bool {
    let (nfs, cifs, smb2): (UInt32, UInt32, UInt32) = (0x6969, 0xFF53_4D42, 0xFE53_4D42)
    return fileSystemType.map { [nfs, cifs, smb2].contains($0) } ?? false
  }

  /// Whether a write over existing bytes needs no new blocks, and other processes read it at once.
  ///
  /// This is known of ext2 to ext4, XFS and tmpfs. Btrfs, for example, writes to new blocks, and
  /// the clients of network file systems have caches.
  package var isOverwrittenInPlace: Bool {
    let (ext, xfs, tmpfs): (UInt32, UInt32, UInt32) = (0xEF53, 0x5846_5342, 0x0102_1994)
    return fileSystemType.map { [ext, xfs, tmpfs].contains($0) } ?? false
  }

  /// The number of the file's kind of file system; nil if it is unknown.
  private var fileSystemType: UInt32? {
    // The structure begins with the type of the file system, and is smaller than the array.
    var status = [Int](repeating: 0, count: 64)
    guard let call = unsafe Self.fstatfs, unsafe call(descriptor, &status) == 0 else { return nil }
    return UInt32(truncatingIfNeeded: status[0])
  }

  // int fstatfs(int fd, struct statfs *buf)
  private typealias StatFS = @convention(c) (CInt, UnsafeMutablePointer<Int>) -> CInt
  private static let fstatfs = unsafe cFunction("fstatfs", as: StatFS.self)

  func leaveQueue() { _ = recordLock(F_SETLK, F_UNLCK) }

  /// Sets a record lock on `count` bytes, or finds a conflicting one.
  ///
  /// A count of 0 stands for all bytes from the start, even if the file grows.
  func recordLock(
    _ command: Int32, _ type: some BinaryInteger, from start: off_t = 0, count: off_t = 0
  ) -> (code: Int32, conflict: flock?) {
    var record = flock(
      l_type: Int16(type), l_whence: Int16(SEEK_SET), l_start: start, l_len: count, l_pid: 0)
    let code = unsafe fcntl(descriptor, command, &record)
    let isFinding = command == F_GETLK || command == Self.getLock
    return (code, code == 0 && isFinding && record.l_type != F_UNLCK ? record : nil)
  }
}

// Changing the mode and the owner of a file.
extension File {
  package func changeMode(to mode: mode_t) throws(SystemError) {
    try fileSystem.check(.fchmod, path) { fchmod(descriptor, mode) }
  }

  /// Changes the mode of a new file.
  ///
  /// Some file systems and sandboxes refuse or ignore the change. This is an error only if the file
  /// is secret and other users have more access than `mode` permits.
  package func setMode(_ mode: mode_t, isSecret: Bool) throws(SystemError) {
    if try status().permissions == mode { return }
    var refusal = SystemError(call: .fchmod, path: path, code: EOPNOTSUPP)
    do {
      try changeMode(to: mode)
    } catch let error where error.isRefusal {
      refusal = error
    }
    if isSecret, try status().permissions & 0o077 & ~mode != 0 { throw refusal }
  }

  /// Changes the owner and the group, each of which the maximum value leaves unchanged.
  package func changeOwner(to user: uid_t, group: gid_t) throws(SystemError) {
    try fileSystem.check(.fchown, path) { fchown(descriptor, user, group) }
  }

  func copyOwner(from other: FileStatus) throws(SystemError) {
    let status = try status()
    if status.owner == other.owner, status.group == other.group { return }
    try changeOwner(to: other.owner, group: other.group)
  }

  /// Gives a file that root has created in a user's directory to that user, if this is permitted.
  func giveToOwner(of directory: FileStatus) throws(SystemError) {
    guard geteuid() == 0, directory.owner != 0 else { return }
    do { try copyOwner(from: directory) } catch let error where error.isRefusal {}
  }

  /// Whether the file is an empty directory; false without `/proc`.
  var isEmpty: Bool {
    (try? FileSystem().entries(of: "/proc/self/fd/\(descriptor)").isEmpty) ?? false
  }
}

extension FixedWidthInteger {
  package func hexadecimal(digits: Int) -> String {
    let number = String(self, radix: 16)
    return String(repeating: "0", count: Swift.max(0, digits - number.count)) + number
  }
}
