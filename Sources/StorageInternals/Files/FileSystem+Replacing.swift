package import CLibrary

extension FileSystem {
  /// Replaces a file's content, or creates the file, in one atomic and durable step.
  ///
  /// If the process or the machine stops at any moment, the path leads to all of the old bytes or
  /// all of the new. A symbolic link at the path is replaced, not followed. The new file has no
  /// name until it is complete, and a temporary one only between `linkat` and `rename`. On file
  /// systems without unnamed files, it has the temporary name from the beginning.
  ///
  /// - Parameters:
  ///   - path: The file, in an existing directory.
  ///   - bytes: All of the new content.
  ///   - mode: The file's permissions, regardless of the umask; they are never wider.
  ///   - old: The existing file, if its owner, group and permissions are to be kept instead. Its
  ///     other names and its access control list are lost.
  ///   - overwriting: Whether to replace an existing file; if false, `EEXIST` is thrown.
  /// - Returns: The new file, still open for writing.
  /// - Throws: The call that failed. The old content is then in place and the temporary file
  ///   removed. After a failed `fsync` of the directory, however, the new content is in place but
  ///   may not survive a power cut.
  @discardableResult
  package func replaceFile(
    at path: String, with bytes: some Collection<UInt8>, mode: mode_t = 0o600,
    keeping old: FileStatus? = nil, overwriting: Bool = true
  ) throws(SystemError) -> File {
    // Opened first, so that after the rename only its `fsync` can fail.
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
  /// The closure runs on the complete file before the `fsync`.
  func writeReplacement(
    of path: String, with bytes: some Collection<UInt8>, mode: mode_t, keeping old: FileStatus?,
    finish: (borrowing File) -> Void = { _ in }
  ) throws(SystemError) -> File {
    let temporary = path.replacement(try KernelRandom.integer())
    if let file = try writeNameless(temporary, bytes, mode, old, finish) { return file }
    // Until its owner is changed, the file is accessible to the current owner alone.
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

  /// Writes a temporary file that gets its name when complete, so that a killed process rarely
  /// leaves one; nil if the file system, or a missing `/proc`, does not allow that.
  private func writeNameless(
    _ path: String, _ bytes: some Collection<UInt8>, _ mode: mode_t, _ old: FileStatus?,
    _ finish: (borrowing File) -> Void
  ) throws(SystemError) -> File? {
    let file: File
    do {
      // As in `writeReplacement`.
      file = try openNameless(for: path, O_WRONLY, mode: old == nil ? mode : 0o600)
    } catch {
      // File systems that open the directory itself answer `EISDIR`.
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

  /// Removes a temporary file; on failure, leaves it to `removeLeftovers` and returns false.
  @discardableResult
  func discard(_ temporary: String) -> Bool {
    do throws(SystemError) {
      try unlink(temporary)
      return true
    } catch {
      // The error to report is the one that stopped the replacement, if any.
      return false
    }
  }

  /// Whether there are temporary files, left by killed processes or still in use.
  package func hasLeftovers(of path: String) throws(SystemError) -> Bool {
    let name = path.lastComponent
    return try entries(of: path.parentDirectory).contains { $0.isReplacement(of: name) }
  }

  /// Removes the temporary files that killed processes left when replacing a file.
  ///
  /// Every process replaces this file under the given lock. While the caller holds it, each
  /// temporary file is a leftover.
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
  /// Writes a new file's owner, mode and content, durably.
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

  /// Gives this file the owner and group of another one, unless they are equal already.
  fileprivate func takeOwner(of other: FileStatus) throws(SystemError) {
    let status = try status()
    if status.owner == other.owner, status.group == other.group { return }
    try changeOwner(to: other.owner, group: other.group)
  }
}

extension String {
  /// Returns the temporary path beside this one for a replacement.
  fileprivate func replacement(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    let padding = String(repeating: "0", count: 16 - digits.count)
    return "\(parentDirectory)/.\(lastComponent).\(padding)\(digits).tmp"
  }

  /// Whether `replacement` can have made this name for a file.
  ///
  /// Compared by bytes: names that are equal as text can belong to different files.
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
