#if canImport(Glibc)
  package import Glibc
#else
  package import Musl
#endif

extension FileSystem {
  /// Replaces a file's content, or makes the file, in one durable step.
  ///
  /// Whenever the process or the machine stops, the path leads to all of the old bytes or all of
  /// the new. A symbolic link at the path is replaced, not followed. The new file has no name until
  /// it is complete, and a temporary one only between two calls, `linkat` and `rename`; where the
  /// file system has no files without a name, it has the temporary one from the beginning.
  ///
  /// - Parameters:
  ///   - path: The file, in a directory that is there.
  ///   - bytes: All of the new content.
  ///   - mode: The file's permissions, whatever the umask is; at no moment are they wider.
  ///   - old: The file that is there, if its owner, group and permissions are to be kept instead.
  ///     What else it has, such as other names or an access control list, is not.
  ///   - overwriting: Whether a file that is there is replaced; if not, `EEXIST` is thrown.
  /// - Returns: The new file, still open for writing.
  /// - Throws: The call that failed. The old content is then in place and the temporary file
  ///   removed; except after a failed `fsync` of the directory, when the new content is in place
  ///   but may not outlast a power cut.
  @discardableResult
  package func replaceFile(
    at path: String, with bytes: some Collection<UInt8>, mode: mode_t = 0o600,
    keeping old: FileStatus? = nil, overwriting: Bool = true
  ) throws(SystemError) -> File {
    // Opened first, so that after the rename only its `fsync` is left to fail.
    let directory = try openDirectory(path.parentDirectory)
    let file = try writeReplacement(of: path, with: bytes, mode: mode, keeping: old)
    do throws(SystemError) {
      if overwriting {
        try rename(file.path, to: path)
      } else {
        try renameExclusively(file.path, to: path)
      }
    } catch {
      discard(file.path)
      throw error
    }
    try directory.synchronizeEntries()
    return file
  }

  /// Writes the temporary file of a replacement, durably and with its final owner and mode.
  ///
  /// The closure does what must be done with the complete file before it is synchronised.
  func writeReplacement(
    of path: String, with bytes: some Collection<UInt8>, mode: mode_t, keeping old: FileStatus?,
    finish: (borrowing File) -> Void = { _ in }
  ) throws(SystemError) -> File {
    let temporary = path.replacement(try KernelRandom.integer())
    if let file = try writeNameless(temporary, bytes, mode, old, finish) { return file }
    // Until it is the other owner's, it is for this one alone.
    let file = try open(
      temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: old == nil ? mode : 0o600)
    do throws(SystemError) {
      try file.fill(with: bytes, mode, keeping: old, finish)
    } catch {
      discard(temporary)
      throw error
    }
    return file
  }

  /// Writes a temporary file that gets its name when it is complete, so that a killed process
  /// hardly ever leaves one; nil where the file system, or the lack of `/proc`, does not allow
  /// that.
  private func writeNameless(
    _ path: String, _ bytes: some Collection<UInt8>, _ mode: mode_t, _ old: FileStatus?,
    _ finish: (borrowing File) -> Void
  ) throws(SystemError) -> File? {
    let file: File
    do {
      // As in `writeReplacement`.
      file = try openNameless(for: path, O_WRONLY, mode: old == nil ? mode : 0o600)
    } catch {
      // `EISDIR` is the answer of file systems that take the directory itself to be meant.
      if [EOPNOTSUPP, EISDIR, EINVAL].contains(error.code) { return nil }
      throw error
    }
    try file.fill(with: bytes, mode, keeping: old, finish)
    do {
      try file.takeName()
    } catch {
      if error.isUnsupported || error.code == ENOENT { return nil }
      throw error
    }
    return file
  }

  /// Removes a temporary file, or leaves it to `removeLeftovers` and returns false.
  @discardableResult
  func discard(_ temporary: String) -> Bool {
    do throws(SystemError) {
      try unlink(temporary)
      return true
    } catch {
      // What stopped the replacement is the error to report, if there is one.
      return false
    }
  }

  /// Whether there seem to be temporary files that killed processes left, or that are just in use.
  package func hasLeftovers(of path: String) throws(SystemError) -> Bool {
    let name = path.lastComponent
    return try entries(of: path.parentDirectory).contains { $0.isReplacement(of: name) }
  }

  /// Removes the temporary files that killed processes left when they were replacing a file.
  ///
  /// The lock is the one under which every process replaces this file. Who holds it knows that
  /// nobody else is at it, so that each temporary file there is a leftover.
  package func removeLeftovers(
    of path: String, holding lock: borrowing FileLock
  ) throws(SystemError) {
    for name in try entries(of: path.parentDirectory)
    where name.isReplacement(of: path.lastComponent) {
      try unlink("\(path.parentDirectory)/\(name)")
    }
  }
}

extension File {
  /// Makes a new file what it is to be, durably.
  fileprivate func fill(
    with bytes: some Collection<UInt8>, _ mode: mode_t, keeping old: FileStatus?,
    _ finish: (borrowing File) -> Void
  ) throws(SystemError) {
    if let old { try takeOwner(of: old) }
    try changeMode(to: old?.permissions ?? mode)
    try write(bytes, at: 0)
    finish(self)
    try synchronize()
  }

  /// Gives this file the owner and group of another one, unless it has them already.
  fileprivate func takeOwner(of other: FileStatus) throws(SystemError) {
    let status = try status()
    if status.owner == other.owner, status.group == other.group { return }
    try changeOwner(to: other.owner, group: other.group)
  }
}

extension String {
  /// The path beside this one that a replacement is written to.
  fileprivate func replacement(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    let padding = String(repeating: "0", count: 16 - digits.count)
    return "\(parentDirectory)/.\(lastComponent).\(padding)\(digits).tmp"
  }

  /// Whether this is a name that `replacement` gives for a file.
  ///
  /// By bytes: names that are equal as text can be those of different files.
  fileprivate func isReplacement(of name: String) -> Bool {
    let prefix = ".\(name).".utf8
    let suffix = ".tmp".utf8
    guard utf8.starts(with: prefix), utf8.suffix(suffix.count).elementsEqual(suffix) else {
      return false
    }
    let digits = utf8.dropFirst(prefix.count).dropLast(suffix.count)
    return digits.count == 16 && digits.allSatisfy { "0123456789abcdef".utf8.contains($0) }
  }
}
