import CLibrary

extension FileSystem {
  /// The flags of `renameat2`.
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

  /// The C library's function, which Swift's overlay does not import; nil if the library lacks it.
  private static let renameAt2: RenameAt2? = unsafe dlsym(nil, "renameat2").map {
    unsafe unsafeBitCast($0, to: RenameAt2.self)
  }

  func rename(_ path: String, to target: String, _ flag: RenameFlag) throws(SystemError) {
    if target.hasNUL { throw SystemError(call: .renameat2, path: target, code: EINVAL) }
    try check(.renameat2, at: path) { () -> Int32 in
      guard let function = unsafe Self.renameAt2 else {
        errno = ENOSYS
        return -1
      }
      return unsafe function(AT_FDCWD, path, AT_FDCWD, target, flag.rawValue)
    }
  }

  /// Renames a file, unless a file exists at the target path.
  ///
  /// If neither `renameat2` nor `link` is supported, an empty file briefly reserves the target
  /// path.
  ///
  /// - Throws: `EEXIST` if the target path exists, or the call that failed. Nothing is changed
  ///   then.
  package func renameExclusively(_ path: String, to target: String) throws(SystemError) {
    do {
      return try rename(path, to: target, .withoutReplacing)
    } catch {
      if !error.isUnsupported { throw error }
    }
    do {
      try link(path, to: target)
      discard(path)
      return
    } catch {
      if !error.isUnsupported { throw error }
    }
    _ = try open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    do {
      try rename(path, to: target)
    } catch {
      discard(target)
      throw error
    }
  }
}

extension SystemError {
  /// Whether the kernel, the file system or a sandbox does not support the call or its flags.
  package var isUnsupported: Bool { [ENOSYS, EINVAL, EOPNOTSUPP, EPERM].contains(code) }
}
