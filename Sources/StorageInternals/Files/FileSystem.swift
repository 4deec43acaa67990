package import CLibrary
import Concurrency

/// The system calls on files, each of which a test can make fail.
package struct FileSystem: Sendable {
  /// The calls, named after their manual pages.
  package enum Call: String, CaseIterable, Sendable {
    case open, read, write, fdatasync, fsync, ftruncate, fchmod, fchown, flock, stat, rename,
      renameat2, link, unlink, mkdir
    case readlink, opendir, readdir, inotify, getrandom, futimens
    case thread = "pthread_create"
  }

  /// A test's closure that returns the error number with which a call on a path fails, or nil.
  package var fault: (@Sendable (Call, String) -> Int32?)?

  /// The directory in which the last components of paths are looked up; see ``within(_:)``.
  private(set) var directory = AT_FDCWD

  package init(fault: (@Sendable (Call, String) -> Int32?)? = nil) { self.fault = fault }

  /// Returns a file system that finds the files of a directory, while it is open.
  func within(_ directory: borrowing File) -> FileSystem {
    var copy = self
    copy.directory = directory.descriptor
    return copy
  }

  /// Returns the path that a system call receives: relative to `directory`, if one is set.
  func name(_ path: String) -> String { directory == AT_FDCWD ? path : path.lastComponent }

  /// Opens a file; its descriptor is closed when a child process calls `exec`.
  package func open(_ path: String, _ flags: Int32, mode: mode_t = 0) throws(SystemError) -> File {
    let descriptor = try check(.open, at: path) {
      Fork.openFile(flags) { unsafe openat(directory, name(path), flags | O_CLOEXEC, mode) }
    }
    return File(path: path, descriptor: descriptor, fileSystem: self)
  }

  /// Creates an unnamed file in the directory of its future path; nil if this is not supported.
  func openUnnamed(for path: String, mode: mode_t) throws(SystemError) -> File? {
    // Swift does not import O_TMPFILE from <fcntl.h>.
    let flags = 0o20000000 | O_DIRECTORY | O_RDWR | O_CLOEXEC
    let parent = directory == AT_FDCWD ? path.parentDirectory : "."
    do {
      let descriptor = try check(.open, at: path) {
        Fork.openFile(flags) { unsafe openat(directory, parent, flags, mode) }
      }
      return File(path: path, descriptor: descriptor, fileSystem: self)
    } catch let error where [EOPNOTSUPP, EISDIR, EINVAL, EPERM].contains(error.code) {
      // File systems that ignore the flag fail with `EISDIR`. In a removed directory, ext4 fails
      // with `EPERM`; a named file then fails with `ENOENT`.
      return nil
    }
  }

  /// Returns the status of a file; nil if it does not exist.
  package func status(
    of path: String, followingLink: Bool = false
  ) throws(SystemError) -> FileStatus? {
    var status = stat()
    do {
      try check(.stat, at: path) {
        unsafe fstatat(directory, name(path), &status, followingLink ? 0 : AT_SYMLINK_NOFOLLOW)
      }
    } catch let error where error.code == ENOENT {
      return nil
    }
    return FileStatus(status)
  }

  package func rename(_ path: String, to target: String) throws(SystemError) {
    try validate(target, for: .rename)
    try check(.rename, at: path) {
      unsafe renameat(directory, name(path), directory, name(target))
    }
  }

  package func link(_ path: String, to other: String) throws(SystemError) {
    try validate(other, for: .link)
    try check(.link, at: path) {
      unsafe linkat(directory, name(path), directory, name(other), 0)
    }
  }

  /// Removes a file; a missing file is not an error.
  package func unlink(_ path: String) throws(SystemError) {
    do {
      try check(.unlink, at: path) { unsafe unlinkat(directory, name(path), 0) }
    } catch let error where error.code == ENOENT {}
  }

  /// Returns the target of a symbolic link, in which U+FFFD replaces bytes that are not UTF-8.
  package func linkTarget(of path: String) throws(SystemError) -> String {
    let capacity = Int(PATH_MAX)
    var target = [UInt8](repeating: 0, count: capacity)
    let count = try check(.readlink, at: path) {
      unsafe target.withUnsafeMutableBytes {
        unsafe readlink(path, $0.baseAddress!.assumingMemoryBound(to: CChar.self), capacity)
      }
    }
    return String(decoding: target[..<count], as: UTF8.self)
  }

  /// Makes a system call; retries after `EINTR` and throws any other error.
  @discardableResult
  func check<Result: SignedInteger>(
    _ call: Call, _ path: String, _ body: () -> Result
  ) throws(SystemError) -> Result {
    while true {
      var code = fault?(call, path) ?? 0
      if code == 0 {
        let result = body()
        if result != -1 { return result }
        // The error number is read before another call of the C library changes it.
        code = errno
      }
      if code != EINTR { throw SystemError(call: call, path: path, code: code) }
    }
  }

  /// Makes a system call on a path; throws an error if the kernel would use a different path.
  @discardableResult
  func check<Result: SignedInteger>(
    _ call: Call, at path: String, _ body: () -> Result
  ) throws(SystemError) -> Result {
    try validate(path, for: call)
    return try check(call, path, body)
  }

  private func validate(_ path: String, for call: Call) throws(SystemError) {
    if let code = path.refusalCode { throw SystemError(call: call, path: path, code: code) }
  }

  /// A flag of `renameat2`.
  enum RenameFlag: UInt32 {
    case withoutReplacing = 1
    case exchanging = 2
  }

  // int renameat2(int olddirfd, const char *oldpath, int newdirfd, const char *newpath,
  //   unsigned int flags);
  private typealias RenameAt2 =
    @convention(c) (
      Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32
    ) -> Int32

  private static let renameAt2 = unsafe cFunction("renameat2", as: RenameAt2.self)

  func rename(_ path: String, to target: String, _ flag: RenameFlag) throws(SystemError) {
    try validate(target, for: .renameat2)
    try check(.renameat2, at: path) { () -> Int32 in
      guard let function = unsafe Self.renameAt2 else {
        errno = ENOSYS
        return -1
      }
      return unsafe function(directory, name(path), directory, name(target), flag.rawValue)
    }
  }

  /// Renames a file; throws `EEXIST` if a file exists at the target path.
  ///
  /// Without `renameat2` and `link`, an empty file briefly reserves the target path.
  package func renameExclusively(_ path: String, to target: String) throws(SystemError) {
    do {
      return try rename(path, to: target, .withoutReplacing)
    } catch let error where error.isUnsupported {}
    do {
      try link(path, to: target)
      discard(path)
      return
    } catch let error where error.isUnsupported {}
    _ = try open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    do {
      try rename(path, to: target)
    } catch {
      discard(target)
      throw error
    }
  }
}
