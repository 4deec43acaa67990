#if canImport(Glibc)
  package import Glibc
#else
  package import Musl
#endif

/// The system calls that the stores make, each of which a test can make fail.
package struct FileSystem: Sendable {
  /// The calls, by the names of their manual pages.
  package enum Call: String, CaseIterable, Sendable {
    case open, read, write, fdatasync, fsync, ftruncate, fchmod, fchown, flock, stat, rename,
      renameat2, link, unlink, mkdir
    case readlink, opendir, readdir, inotify, getrandom, futimens
    case thread = "pthread_create"
  }

  /// Answers the error number with which a call on a path fails, or nil to let it happen.
  ///
  /// `EINTR` is met as it is when the kernel answers it: the call is made, and this asked, again.
  /// This is how the tests reach a full disk or a dying one at each call in turn.
  package var fault: (@Sendable (Call, String) -> Int32?)?

  package init(fault: (@Sendable (Call, String) -> Int32?)? = nil) {
    self.fault = fault
  }

  /// Opens a file; the descriptor is not inherited by child processes.
  package func open(
    _ path: String, _ flags: Int32, mode: mode_t = 0
  ) throws(SystemError) -> File {
    let descriptor = try check(.open, at: path) {
      #if canImport(Glibc)
        unsafe Glibc.open(path, flags | O_CLOEXEC, mode)
      #else
        unsafe Musl.open(path, flags | O_CLOEXEC, mode)
      #endif
    }
    return File(descriptor: descriptor, path: path, fileSystem: self)
  }

  /// Makes a file without a name, in the directory of a path that is to become its name.
  func openNameless(for path: String, _ flags: Int32, mode: mode_t) throws(SystemError) -> File {
    // The constant of <fcntl.h> is an expression that Swift does not import.
    let nameless = 0o20000000 | O_DIRECTORY
    let directory = path.parentDirectory
    let descriptor = try check(.open, at: path) {
      #if canImport(Glibc)
        unsafe Glibc.open(directory, flags | nameless | O_CLOEXEC, mode)
      #else
        unsafe Musl.open(directory, flags | nameless | O_CLOEXEC, mode)
      #endif
    }
    return File(descriptor: descriptor, path: path, fileSystem: self)
  }

  /// What is at a path, or where a symbolic link there leads; nil where there is nothing.
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

  /// Puts a file at another path, replacing what is there in one step.
  package func rename(_ path: String, to target: String) throws(SystemError) {
    if target.hasNUL { throw SystemError(call: .rename, path: target, code: EINVAL) }
    try check(.rename, at: path) {
      #if canImport(Glibc)
        unsafe Glibc.rename(path, target)
      #else
        unsafe Musl.rename(path, target)
      #endif
    }
  }

  /// Gives a file another path beside the one it has.
  package func link(_ path: String, to other: String) throws(SystemError) {
    if other.hasNUL { throw SystemError(call: .link, path: other, code: EINVAL) }
    try check(.link, at: path) {
      #if canImport(Glibc)
        unsafe Glibc.link(path, other)
      #else
        unsafe Musl.link(path, other)
      #endif
    }
  }

  /// Removes a file; there being none is a success.
  package func unlink(_ path: String) throws(SystemError) {
    do {
      try check(.unlink, at: path) {
        #if canImport(Glibc)
          unsafe Glibc.unlink(path)
        #else
          unsafe Musl.unlink(path)
        #endif
      }
    } catch {
      if error.code != ENOENT { throw error }
    }
  }

  /// The path that a symbolic link holds.
  package func linkTarget(of path: String) throws(SystemError) -> String {
    let capacity = Int(PATH_MAX)
    var target = [UInt8](repeating: 0, count: capacity)
    let count = try check(.readlink, at: path) {
      unsafe target.withUnsafeMutableBytes {
        unsafe readlink(path, $0.baseAddress!.assumingMemoryBound(to: CChar.self), capacity)
      }
    }
    // A mended text would be the path of another file.
    guard let text = String(validating: target[..<count], as: UTF8.self) else {
      throw SystemError(call: .readlink, path: path, code: EILSEQ)
    }
    return text
  }

  /// Makes a call on an open file, again when a signal interrupted it; throws what it reported.
  @discardableResult
  func check<Result: SignedInteger>(
    _ call: Call, _ path: String, _ body: () -> Result
  ) throws(SystemError) -> Result {
    while true {
      var code = fault?(call, path) ?? 0
      if code == 0 {
        let result = body()
        if result != -1 { return result }
        // Read before anything else can call into the C library.
        code = errno
      }
      if code != EINTR { throw SystemError(call: call, path: path, code: code) }
    }
  }

  /// Makes a call on a path.
  @discardableResult
  func check<Result: SignedInteger>(
    _ call: Call, at path: String, _ body: () -> Result
  ) throws(SystemError) -> Result {
    // C would take the part before a zero byte for the whole path.
    if path.hasNUL { throw SystemError(call: call, path: path, code: EINVAL) }
    return try check(call, path, body)
  }
}
