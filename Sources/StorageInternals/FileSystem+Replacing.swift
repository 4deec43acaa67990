#if canImport(Glibc)
  package import Glibc
#else
  package import Musl
#endif

extension FileSystem {
  /// Replaces a file's content, or makes the file, in one durable step.
  ///
  /// Whenever the process or the machine stops, the path leads to all of the old bytes or all of
  /// the new. A symbolic link at the path is replaced, not followed.
  ///
  /// - Parameters:
  ///   - path: The file, in a directory that is there.
  ///   - bytes: All of the new content.
  ///   - mode: The file's permissions, whatever the umask is; at no moment are they wider.
  /// - Throws: The call that failed. The old content is then in place and the temporary file
  ///   removed; except after a failed `fsync` of the directory, when the new content is in place
  ///   but may not outlast a power cut.
  package func replaceFile(
    at path: String, with bytes: some Collection<UInt8>, mode: mode_t = 0o600
  ) throws(SystemError) {
    // Opened first, so that after the rename only its `fsync` is left to fail.
    let directory = try openDirectory(path.parentDirectory)
    let temporary = path.replacement(UInt64.random(in: .min ... .max))
    let file = try open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
    do throws(SystemError) {
      try file.changeMode(to: mode)
      try file.write(bytes, at: 0)
      try file.synchronize()
      try rename(temporary, to: path)
    } catch {
      do throws(SystemError) {
        try unlink(temporary)
      } catch {
        // What stopped the replacement is the error to report; `removeLeftovers` gets the file.
      }
      throw error
    }
    try directory.synchronizeEntries()
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

extension String {
  /// The path beside this one that a replacement is written to.
  fileprivate func replacement(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    let padding = String(repeating: "0", count: 16 - digits.count)
    return "\(parentDirectory)/.\(lastComponent).\(padding)\(digits).tmp"
  }

  /// Whether this is a name that `replacement` gives for a file.
  fileprivate func isReplacement(of name: String) -> Bool {
    let prefix = ".\(name)."
    let suffix = ".tmp"
    guard hasPrefix(prefix), hasSuffix(suffix) else { return false }
    let digits = dropFirst(prefix.count).dropLast(suffix.count)
    return digits.utf8.count == 16 && digits.allSatisfy { $0.isHexDigit }
  }
}
