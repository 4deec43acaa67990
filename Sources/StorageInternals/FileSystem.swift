#if canImport(Glibc)
  package import Glibc
#else
  package import Musl
#endif

/// The system calls that the stores make, each of which a test can make fail.
package struct FileSystem: Sendable {
  /// The calls, by the names of their manual pages.
  package enum Call: String, CaseIterable, Sendable {
    case open, read, write, fdatasync, fsync, ftruncate, fchmod, flock, stat, rename, unlink, mkdir
  }

  /// Answers the error number with which a call on a path fails, or nil to let it happen.
  ///
  /// This is how the tests reach a full disk or a dying one at each call in turn.
  package var fault: (@Sendable (Call, String) -> Int32?)?

  package init(fault: (@Sendable (Call, String) -> Int32?)? = nil) {
    self.fault = fault
  }

  /// Opens a file; the descriptor is not inherited by child processes.
  package func open(
    _ path: String, _ flags: Int32, mode: mode_t = 0
  ) throws(SystemError) -> File {
    let descriptor = try check(.open, path) {
      #if canImport(Glibc)
        unsafe Glibc.open(path, flags | O_CLOEXEC, mode)
      #else
        unsafe Musl.open(path, flags | O_CLOEXEC, mode)
      #endif
    }
    return File(descriptor: descriptor, path: path, fileSystem: self)
  }

  /// What is at a path, not following a symbolic link; nil where there is nothing.
  package func status(of path: String) throws(SystemError) -> FileStatus? {
    var status = stat()
    do {
      try check(.stat, path) { unsafe lstat(path, &status) }
    } catch {
      if error.code == ENOENT { return nil }
      throw error
    }
    return FileStatus(status)
  }

  package func rename(_ path: String, to target: String) throws(SystemError) {
    try check(.rename, path) {
      #if canImport(Glibc)
        unsafe Glibc.rename(path, target)
      #else
        unsafe Musl.rename(path, target)
      #endif
    }
  }

  /// Removes a file; there being none is a success.
  package func unlink(_ path: String) throws(SystemError) {
    do {
      try check(.unlink, path) {
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

  /// Makes a directory and those above it, each for its owner alone; existing ones stay as they are.
  package func makeDirectories(_ path: String) throws(SystemError) {
    do {
      try check(.mkdir, path) { unsafe mkdir(path, 0o700) }
    } catch {
      switch error.code {
      case EEXIST: return
      case ENOENT where path.parentDirectory != path:
        try makeDirectories(path.parentDirectory)
        try makeDirectories(path)
      default: throw error
      }
    }
  }

  /// Makes a directory's entries durable, so that a new or renamed file survives a power cut.
  package func synchronizeDirectory(_ path: String) throws(SystemError) {
    let directory = try open(path, O_RDONLY | O_DIRECTORY)
    try directory.synchronize()
  }

  /// Makes a call, again when a signal interrupted it, and throws what it reported.
  @discardableResult
  func check<Result: SignedInteger>(
    _ call: Call, _ path: String, _ body: () -> Result
  ) throws(SystemError) -> Result {
    if let code = fault?(call, path) {
      throw SystemError(call: call, path: path, code: code)
    }
    while true {
      let result = body()
      if result != -1 { return result }
      let code = errno
      if code != EINTR { throw SystemError(call: call, path: path, code: code) }
    }
  }
}

/// What `stat` says of a file, as far as the stores ask.
package struct FileStatus: Hashable, Sendable {
  package let device: UInt64
  package let inode: UInt64
  package let size: Int
  package let mode: mode_t
  package let owner: uid_t
  package let links: Int
  /// Nanoseconds since 1970.
  package let modified: Int

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int(status.st_size)
    mode = status.st_mode
    owner = status.st_uid
    links = Int(status.st_nlink)
    modified = status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec
  }

  package var isRegularFile: Bool { mode & S_IFMT == S_IFREG }
  package var isSymbolicLink: Bool { mode & S_IFMT == S_IFLNK }
  package var isOpenToOthers: Bool { mode & 0o077 != 0 }
}

extension String {
  /// The path of the directory that holds this path's last component.
  package var parentDirectory: String {
    guard let slash = lastIndex(of: "/") else { return "." }
    return slash == startIndex ? "/" : String(self[..<slash])
  }
}
