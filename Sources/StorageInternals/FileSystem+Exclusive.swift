#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

extension FileSystem {
  /// Error numbers by which a kernel, a C library or a file system says that it lacks a call.
  package static let missingCall: Set<Int32> = [ENOSYS, EINVAL, EOPNOTSUPP, EPERM]

  /// Puts a file at another path, unless there is something.
  ///
  /// Where neither `renameat2` nor `link` works, an empty file holds the path for a moment.
  ///
  /// - Throws: `EEXIST` where there is something. Whatever is thrown, nothing was changed.
  package func renameExclusively(_ path: String, to target: String) throws(SystemError) {
    do {
      return try renameWithoutReplacing(path, to: target)
    } catch {
      if !Self.missingCall.contains(error.code) { throw error }
    }
    do {
      try link(path, to: target)
      return removeQuietly(path)
    } catch {
      if !Self.missingCall.contains(error.code) { throw error }
    }
    _ = try open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    do {
      try rename(path, to: target)
    } catch {
      removeQuietly(target)
      throw error
    }
  }

  private func renameWithoutReplacing(
    _ path: String, to target: String
  ) throws(SystemError) {
    if target.hasNUL { throw SystemError(call: .renameat2, path: target, code: EINVAL) }
    try check(.renameat2, at: path) { () -> Int32 in
      guard let systemRenameat2 else {
        errno = ENOSYS
        return -1
      }
      // RENAME_NOREPLACE of <linux/fs.h>. The paths are copied by the call.
      return unsafe systemRenameat2(AT_FDCWD, path, AT_FDCWD, target, 1)
    }
  }

  private func removeQuietly(_ path: String) {
    do throws(SystemError) {
      try unlink(path)
    } catch {
      // The caller has a result, or an error that matters more.
    }
  }
}

// int renameat2(int olddirfd, const char *oldpath, int newdirfd, const char *newpath,
//   unsigned int flags);
private typealias Renameat2 =
  @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32

/// The function of the C library, which declares it only for those who define `_GNU_SOURCE`; nil where
/// the library is older than it.
private let systemRenameat2: Renameat2? = {
  guard let address = unsafe dlsym(nil, "renameat2") else { return nil }
  // That is its type.
  return unsafe unsafeBitCast(address, to: Renameat2.self)
}()
