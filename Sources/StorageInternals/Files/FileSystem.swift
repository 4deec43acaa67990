package import CLibrary

/// The system calls of the stores; a test can make each of them fail.
package struct FileSystem: Sendable {
  /// The calls, by the names of their manual pages.
  package enum Call: String, CaseIterable, Sendable {
    case open, read, write, fdatasync, fsync, ftruncate, fchmod, fchown, flock, stat, rename,
      renameat2, link, unlink, mkdir
    case readlink, opendir, readdir, inotify, getrandom, futimens
    case thread = "pthread_create"
  }

  /// The error number with which a call on a path fails; nil to make the call.
  ///
  /// `EINTR` is handled as if the kernel returned it: the call is retried, and so is this closure.
  /// Tests use it to simulate a full or failing disk at each call.
  package var fault: (@Sendable (Call, String) -> Int32?)?

  package init(fault: (@Sendable (Call, String) -> Int32?)? = nil) {
    self.fault = fault
  }

  /// Opens a file; the descriptor is not inherited by child processes.
  package func open(
    _ path: String, _ flags: Int32, mode: mode_t = 0
  ) throws(SystemError) -> File {
    let descriptor = try check(.open, at: path) {
      unsafe CLibrary.open(path, flags | O_CLOEXEC, mode)
    }
    return File(descriptor: descriptor, path: path, fileSystem: self)
  }

  /// Creates a file without a name, in the directory of its later path.
  func openNameless(for path: String, _ flags: Int32, mode: mode_t) throws(SystemError) -> File {
    // The constant of <fcntl.h> is an expression that Swift does not import.
    let nameless = 0o20000000 | O_DIRECTORY
    let descriptor = try check(.open, at: path) {
      unsafe CLibrary.open(path.parentDirectory, flags | nameless | O_CLOEXEC, mode)
    }
    return File(descriptor: descriptor, path: path, fileSystem: self)
  }

  /// Returns the status of a file, after following a link on request; nil if there is no file.
  package func status(
    of path: String, followingLink: Bool = false
  ) throws(SystemError) -> FileStatus? {
    var status = stat()
    do {
      try check(.stat, at: path) {
        unsafe fstatat(AT_FDCWD, path, &status, followingLink ? 0 : AT_SYMLINK_NOFOLLOW)
      }
    } catch {
      if error.code == ENOENT { return nil }
      throw error
    }
    return FileStatus(status)
  }

  /// Moves a file to another path, replacing an existing file atomically.
  package func rename(_ path: String, to target: String) throws(SystemError) {
    if target.hasNUL { throw SystemError(call: .rename, path: target, code: EINVAL) }
    try check(.rename, at: path) {
      unsafe CLibrary.rename(path, target)
    }
  }

  /// Gives a file a second path.
  package func link(_ path: String, to other: String) throws(SystemError) {
    if other.hasNUL { throw SystemError(call: .link, path: other, code: EINVAL) }
    try check(.link, at: path) {
      unsafe CLibrary.link(path, other)
    }
  }

  /// Removes a file; a missing file is not an error.
  package func unlink(_ path: String) throws(SystemError) {
    do {
      try check(.unlink, at: path) {
        unsafe CLibrary.unlink(path)
      }
    } catch {
      if error.code != ENOENT { throw error }
    }
  }

  /// Returns the target of a symbolic link.
  package func linkTarget(of path: String) throws(SystemError) -> String {
    let capacity = Int(PATH_MAX)
    var target = [UInt8](repeating: 0, count: capacity)
    let count = try check(.readlink, at: path) {
      unsafe target.withUnsafeMutableBytes {
        unsafe readlink(path, $0.baseAddress!.assumingMemoryBound(to: CChar.self), capacity)
      }
    }
    // A repaired text would be the path of another file.
    guard let text = String(validating: target[..<count], as: UTF8.self) else {
      throw SystemError(call: .readlink, path: path, code: EILSEQ)
    }
    return text
  }

  /// Makes a system call and retries after `EINTR`; throws any other error.
  @discardableResult
  func check<Result: SignedInteger>(
    _ call: Call, _ path: String, _ body: () -> Result
  ) throws(SystemError) -> Result {
    while true {
      var code = fault?(call, path) ?? 0
      if code == 0 {
        let result = body()
        if result != -1 { return result }
        // Read before any other call into the C library.
        code = errno
      }
      if code != EINTR { throw SystemError(call: call, path: path, code: code) }
    }
  }

  /// Makes a system call on a path.
  @discardableResult
  func check<Result: SignedInteger>(
    _ call: Call, at path: String, _ body: () -> Result
  ) throws(SystemError) -> Result {
    // C would end the path at the zero byte.
    if path.hasNUL { throw SystemError(call: call, path: path, code: EINVAL) }
    return try check(call, path, body)
  }
}
