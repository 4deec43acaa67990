package import CLibrary
import Concurrency

// Replacing a file by a temporary file, durably.
extension FileSystem {
  /// Creates or replaces a file that only its owner, this user, can access; atomically and durably.
  ///
  /// A symbolic link at the path is replaced, not followed. A file system that gives other users
  /// more permissions than `mode` causes an error. Without `overwriting`, an existing file causes
  /// `EEXIST`.
  ///
  /// After an uncertain error, the path refers to the new content, which may not survive a power
  /// failure. After any other error, the path still refers to the old content.
  @discardableResult
  package func replaceFile(
    at path: String, with bytes: some Collection<UInt8>, mode: mode_t = 0o600,
    overwriting: Bool = true
  ) throws(SystemError) -> File {
    // The directory is opened before the rename, so that only its `fsync` can fail afterwards.
    let directory = try openDirectory(path.parentDirectory)
    let file = try writeReplacement(of: path, mode: mode) { file throws(SystemError) in
      try file.setMode(mode, isSecret: true)
      try file.write(Array(bytes), at: 0)
    }
    try move(file, to: path, in: directory, overwriting: overwriting)
    return file
  }

  private func move(
    _ temporary: borrowing File, to path: String, in directory: borrowing File,
    overwriting: Bool = true
  ) throws(SystemError) {
    do throws(SystemError) {
      if overwriting {
        try rename(temporary.path, to: path)
      } else {
        try renameExclusively(temporary.path, to: path)
      }
    } catch {
      discard(temporary.path)
      throw error
    }
    try directory.synchronizeEntries()
  }

  /// Creates an unnamed file for ``replaceFile(at:with:)``; returns nil if this is not supported.
  package func openReplacement(of path: String, mode: mode_t) throws(SystemError) -> File? {
    try openUnnamed(for: path.temporaryPath(try KernelRandom.integer()), mode: mode)
  }

  /// Replaces a file with one created by ``openReplacement(of:mode:)``, atomically and durably;
  /// returns false without `/proc`.
  package func replaceFile(
    at path: String, with replacement: borrowing File
  ) throws(SystemError) -> Bool {
    let directory = try openDirectory(path.parentDirectory)
    try replacement.synchronize()
    guard try replacement.link() else { return false }
    try move(replacement, to: path, in: directory)
    return true
  }

  /// Writes the temporary file of a replacement durably; `fill` sets the owner and the mode of the
  /// empty file, and writes its content.
  func writeReplacement(
    of path: String, mode: mode_t = 0o600, fill: (borrowing File) throws(SystemError) -> Void
  ) throws(SystemError) -> File {
    let temporary = path.temporaryPath(try KernelRandom.integer())
    // A file that is linked only when it is complete is rarely left behind by a killed process.
    if let file = try openUnnamed(for: temporary, mode: mode) {
      try fill(file)
      try file.synchronize()
      if try file.link() { return file }
    }
    let file = try open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
    do throws(SystemError) {
      try fill(file)
      try file.synchronize()
    } catch {
      discard(temporary)
      throw error
    }
    return file
  }

  /// Removes a temporary file; returns false on failure.
  @discardableResult
  func discard(_ temporary: String) -> Bool {
    // In a forked child that leaves its parent's function, the file belongs to the parent.
    if Fork.isChild { return false }
    return (try? unlink(temporary)) != nil
  }

  package func hasTemporaryFiles(of path: String) throws(SystemError) -> Bool {
    let name = path.companionName
    return try entries(of: path.parentDirectory).contains { $0.isTemporaryName(of: name) }
  }

  /// Removes the temporary files of a file; returns false if the directory cannot be listed.
  ///
  /// While the lock is held, no writer uses these files.
  @discardableResult
  package func removeTemporaryFiles(
    of path: String, holding lock: borrowing FileLock
  ) throws(SystemError) -> Bool {
    let names: [String]
    do {
      names = try entries(of: path.parentDirectory)
    } catch let error where error.code == EACCES {
      return false
    }
    for name in names where name.isTemporaryName(of: path.companionName) {
      try unlink("\(path.parentDirectory)/\(name)")
    }
    return true
  }
}

extension String {
  fileprivate func temporaryPath(_ identifier: UInt64) -> String {
    companion(".\(identifier.hexadecimal(digits: 16)).tmp", prefix: ".")
  }

  fileprivate func isTemporaryName(of name: String) -> Bool {
    let prefix = ".\(name).".utf8
    let suffix = ".tmp".utf8
    guard utf8.starts(with: prefix), utf8.suffix(suffix.count).elementsEqual(suffix) else {
      return false
    }
    let digits = utf8.dropFirst(prefix.count).dropLast(suffix.count)
    return digits.count == 16 && digits.allSatisfy { "0123456789abcdef".utf8.contains($0) }
  }
}
