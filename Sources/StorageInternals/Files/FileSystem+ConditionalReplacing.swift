import CLibrary

// Replacing a file unless another program has changed it.
extension FileSystem {
  package struct Replacement: ~Copyable {
    /// The new file, which is open so that no other file has its inode number.
    let file: File
    /// The status of the new file before it replaced the old one.
    package let status: FileStatus
    /// Whether the modification time was set, so that no later write has the same one.
    package let hasOwnTime: Bool
    /// Whether the old file could not be removed from the temporary path.
    package let hasTemporaryFile: Bool
  }

  /// Replaces a file as `replaceFile` does, unless another program has changed or replaced it.
  ///
  /// This exchanges the two files, checks the old one, and undoes the exchange if another program
  /// wrote to it. Where files cannot be exchanged, the check precedes the replacement, and a write
  /// between the two is not detected. A program that has the old file open for writing has 50
  /// milliseconds to finish. Until then, both files are provisional (``File/isProvisional()``).
  ///
  /// The new file has the owner, group and mode of the old one. If there is none, it has mode 0600,
  /// and the owner of the directory if this process is root. `hasExpectedContent` compares the
  /// content of a file of the expected size and date. Returns nil if the file was not as expected.
  package func replaceFile(
    at path: String, with bytes: some Collection<UInt8>, expecting old: FileStatus?,
    hasExpectedContent: (String) -> Bool
  ) throws(SystemError) -> Replacement? {
    let directory = try openDirectory(path.parentDirectory)
    // If a link replaces the directory, root must not give away a file in another directory.
    let files = within(directory)
    let place = old == nil ? try directory.status() : nil
    var modified: Int?
    let file = try files.writeReplacement(of: path) { file throws(SystemError) in
      // Only the current owner has access until the owner has been changed.
      if let old { try file.copyOwner(from: old) }
      if let place { try file.giveToOwner(of: place) }
      try file.setMode(old?.permissions ?? 0o600, isSecret: false)
      try file.write(Array(bytes), at: 0)
      modified = file.setModificationTime()
    }
    let new: FileStatus
    let isInPlace: Bool
    do throws(SystemError) {
      new = try file.status()
      if let old {
        file.setProvisional(true, writing: true)
        defer { file.setProvisional(false) }
        isInPlace = try files.exchange(file.path, new, at: path, old, hasExpectedContent)
      } else {
        try files.renameExclusively(file.path, to: path)
        isInPlace = true
      }
    } catch {
      files.discard(file.path)
      if old == nil, error.code == EEXIST { return nil }
      throw error
    }
    // The temporary path holds the old file, or the rejected new one.
    let isRemoved = old == nil || files.discard(file.path)
    guard isInPlace else { return nil }
    try directory.synchronizeEntries()
    return Replacement(
      file: file, status: new, hasOwnTime: modified == new.modified, hasTemporaryFile: !isRemoved)
  }

  private func exchange(
    _ temporary: String, _ new: FileStatus, at path: String, _ old: FileStatus,
    _ hasExpectedContent: (String) -> Bool
  ) throws(SystemError) -> Bool {
    // This check usually detects earlier changes, so that other programs do not see the exchange.
    guard let current = try status(of: path), current.isUnmodified(since: old) else { return false }
    do {
      try rename(temporary, to: path, .exchanging)
    } catch let error where error.code == ENOENT {
      return false
    } catch let error where error.isUnsupported {
      guard let current = try status(of: path), current.isUnmodified(since: old),
        hasExpectedContent(path)
      else { return false }
      try rename(temporary, to: path)
      return true
    }
    let displaced = try openDisplaced(temporary, new, path)
    // It stays provisional while it is restored, because another file may be restored after it.
    displaced.setProvisional(true)
    defer { displaced.setProvisional(false) }
    let isExpected = Result { () throws(SystemError) in
      try isUnmodified(displaced, since: old) && hasExpectedContent(temporary)
    }
    if case .success(true) = isExpected { return true }
    try undoExchange(temporary, new, at: path)
    return try isExpected.get()
  }

  /// Opens the old file after the exchange, which is undone if that fails.
  private func openDisplaced(
    _ temporary: String, _ new: FileStatus, _ path: String
  ) throws(SystemError) -> File {
    do {
      return try open(temporary, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW)
    } catch {
      try undoExchange(temporary, new, at: path)
      throw error
    }
  }

  /// Waits for the writers of the old file, and returns whether it is the expected one.
  private func isUnmodified(
    _ file: borrowing File, since old: FileStatus
  ) throws(SystemError) -> Bool {
    for _ in 0..<50 {
      let isOpen = file.isOpenForWriting
      guard try file.status().isUnmodified(since: old) else { return false }
      if !isOpen { break }
      usleep(1000)
    }
    return true
  }

  /// Exchanges the files again, and restores any file that has replaced the new one meanwhile.
  private func undoExchange(
    _ temporary: String, _ new: FileStatus, at path: String
  ) throws(SystemError) {
    var inPlace = new
    // A program might replace the file during every attempt.
    for _ in 0..<100 {
      guard let next = try status(of: temporary) else { return }
      do {
        try rename(temporary, to: path, .exchanging)
      } catch let error where error.code == ENOENT {
        // The file at the path has been removed, so the old file has the newest content.
        try rename(temporary, to: path, .withoutReplacing)
        return
      }
      guard let replaced = try status(of: temporary), !replaced.isUnmodified(since: inPlace) else {
        return
      }
      inPlace = next
    }
  }
}

extension File {
  /// Returns whether the writer may still restore the file that it replaced; false without locks.
  ///
  /// The lock is on the last possible byte, and the kernel releases it when the writer ends.
  package func isProvisional() -> Bool {
    recordLock(Self.getLock, F_WRLCK, from: .max - 1, count: 1).conflict != nil
  }

  /// Sets or releases the provisional lock; `writing` is whether the file is open for writing only.
  fileprivate func setProvisional(_ isProvisional: Bool, writing: Bool = false) {
    let type = isProvisional ? writing ? F_WRLCK : F_RDLCK : F_UNLCK
    _ = recordLock(Self.setLock, type, from: .max - 1, count: 1)
  }

  // Swift does not import F_OFD_GETLK and F_OFD_SETLK from <fcntl.h>. Their locks also exclude
  // other open files of this process.
  static var getLock: Int32 { 36 }
  private static var setLock: Int32 { 37 }

  /// Sets and returns the precise modification time, because the kernel may record the same one for
  /// writes within a few milliseconds; returns nil on failure.
  fileprivate func setModificationTime() -> Int? {
    var now = timespec()
    // The call fails only for an unknown clock.
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    let times = [now, now]
    let result = try? fileSystem.check(.futimens, path) { unsafe futimens(descriptor, times) }
    return result == nil ? nil : now.nanoseconds
  }
}
