import CLibrary

extension File {
  /// Acquires the lock (`flock`) unless another open file holds it; closing the file releases it.
  package func lockIfFree() throws(SystemError) -> Bool {
    do {
      try check(.flock) { flock($0, LOCK_EX | LOCK_NB) }
      return true
    } catch {
      if error.code == EWOULDBLOCK { return false }
      throw error
    }
  }

  /// Releases the lock, even if forked children still have the file open.
  package func unlock() { withDescriptor { _ = flock($0, LOCK_UN) } }

  /// The process that holds the lock; nil if the kernel does not report it.
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
      // The holder is only a detail of an error message.
    }
    return nil
  }

  /// The process that holds the queue lock, a record lock on the first byte.
  ///
  /// Children do not inherit it; the kernel releases it when its process ends or closes the file.
  var queueHolder: pid_t? {
    let (code, record) = queueLock(F_GETLK, F_WRLCK)
    return code == 0 && record.l_type != F_UNLCK ? record.l_pid : nil
  }

  /// Acquires the queue lock; also returns true if the file system does not support record locks.
  func enterQueue() -> Bool {
    queueLock(F_SETLK, F_WRLCK).code == 0 || errno != EAGAIN && errno != EACCES
  }

  func leaveQueue() { _ = queueLock(F_SETLK, F_UNLCK) }

  private func queueLock(
    _ command: Int32, _ type: some BinaryInteger
  ) -> (code: Int32, record: flock) {
    var record = flock(
      l_type: Int16(type), l_whence: Int16(SEEK_SET), l_start: 0, l_len: 1, l_pid: 0)
    let code = withDescriptor { unsafe fcntl($0, command, &record) }
    return (code, record)
  }

  /// Returns a process if it is running; otherwise a child that inherited the file has its lock.
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
