#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

extension File {
  /// Takes this file's lock unless another open file holds it; it is released with this file.
  package func lockIfFree() throws(SystemError) -> Bool {
    do {
      try check(.flock) { flock($0, LOCK_EX | LOCK_NB) }
      return true
    } catch {
      if error.code == EWOULDBLOCK { return false }
      throw error
    }
  }

  /// Releases this file's lock, although forked children may have the file open.
  package func unlock() {
    // Fails for a descriptor that is not open alone.
    withDescriptor { _ = flock($0, LOCK_UN) }
  }

  /// The process that holds this file's lock, where the kernel tells; nil otherwise.
  var lockHolder: pid_t? {
    do throws(SystemError) {
      let status = try status()
      let device = UInt64(status.device)
      let major = (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF
      let minor = device & 0xFF | (device >> 12) & ~0xFF
      let name = "\(major.twoHexDigits):\(minor.twoHexDigits):\(status.inode)"
      let locks = try FileSystem().open("/proc/locks", O_RDONLY).read(from: 0, count: 65536)
      for line in locks.split(separator: UInt8(ascii: "\n")) {
        // 7: FLOCK  ADVISORY  WRITE 10215 fe:00:16238816 0 EOF
        let words = line.split(separator: UInt8(ascii: " ")).map {
          String(decoding: $0, as: UTF8.self)
        }
        guard words.count > 5, words[1] == "FLOCK", words[5] == name else { continue }
        return pid_t(words[4]).flatMap(Self.running)
      }
    } catch {
      // The message is about the lock, and only says less without the process.
    }
    return nil
  }

  /// The process that holds the lock of the queue for this file's lock.
  ///
  /// It is the record lock of the first byte, which no process inherits, and which ends with its
  /// process, or when the process closes the file.
  var queueHolder: pid_t? {
    var record = Self.queueRecord(F_WRLCK)
    // The structure is one of the C library, and the kernel fills it in before this returns.
    let code = withDescriptor { unsafe fcntl($0, F_GETLK, &record) }
    return code == 0 && record.l_type != F_UNLCK ? record.l_pid : nil
  }

  /// Takes the lock of the queue if it is free, or if the file system has no such locks.
  func enterQueue() -> Bool {
    var record = Self.queueRecord(F_WRLCK)
    // As in `queueHolder`.
    let code = withDescriptor { unsafe fcntl($0, F_SETLK, &record) }
    return code == 0 || errno != EAGAIN && errno != EACCES
  }

  func leaveQueue() {
    var record = Self.queueRecord(F_UNLCK)
    // As in `queueHolder`.
    _ = withDescriptor { unsafe fcntl($0, F_SETLK, &record) }
  }

  private static func queueRecord(_ type: some BinaryInteger) -> flock {
    flock(l_type: Int16(type), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 1, l_pid: 0)
  }

  /// A process if it still runs: the kernel names the one that took the lock, of which a child may
  /// be left.
  private static func running(_ process: pid_t) -> pid_t? {
    process > 0 && (kill(process, 0) == 0 || errno == EPERM) ? process : nil
  }
}

extension UInt64 {
  fileprivate var twoHexDigits: String {
    let digits = String(self, radix: 16)
    return digits.count < 2 ? "0" + digits : digits
  }
}
