import CLibrary

extension FileSystem {
  /// The result of replacing a file.
  package struct Replacement: ~Copyable {
    /// The new file, still open for writing.
    package let file: File
    /// The date set on the file, from which every later write differs; nil if none was set.
    package let modified: Int?
    /// Whether the old file is left at its temporary path.
    package let hasLeftover: Bool
  }

  /// Replaces a file like `replaceFile`, unless another program has changed or replaced it.
  ///
  /// The two files are exchanged, and then the old file is checked. A write of another program up
  /// to the exchange is detected, and the exchange is undone. If the kernel or the file system
  /// cannot exchange files, only writes up to a moment before are detected. A program that has the
  /// old file open for writing has 50 milliseconds to finish.
  ///
  /// - Parameters:
  ///   - path: The file, in an existing directory.
  ///   - bytes: All of the new content.
  ///   - old: The file expected at the path, which passes on its owner, group and mode; nil for
  ///     none, which creates a file for its owner alone.
  ///   - isUntouched: Whether the file at a path, of the expected size and date, has the expected
  ///     content.
  /// - Returns: The new file; nil if the path leads to unexpected content.
  /// - Throws: The same errors as `replaceFile`.
  package func replaceFile(
    at path: String, with bytes: some Collection<UInt8>, expecting old: FileStatus?,
    isUntouched: (String) throws(SystemError) -> Bool
  ) throws(SystemError) -> Replacement? {
    let directory = try openDirectory(path.parentDirectory)
    var stamp: Int?
    let file = try writeReplacement(of: path, with: bytes, mode: 0o600, keeping: old) {
      stamp = $0.stamp()
    }
    let new: FileStatus
    let isInPlace: Bool
    do throws(SystemError) {
      new = try file.status()
      if let old {
        isInPlace = try exchange(file.path, new, at: path, old, isUntouched)
      } else {
        isInPlace = try putInPlace(file.path, path)
      }
    } catch {
      discard(file.path)
      throw error
    }
    // The temporary path holds the old file, or the rejected new one.
    let isDiscarded = old == nil && isInPlace || discard(file.path)
    guard isInPlace else { return nil }
    try directory.synchronizeEntries()
    return Replacement(
      file: file, modified: stamp == new.modified ? stamp : nil, hasLeftover: !isDiscarded)
  }

  /// Moves a file to a path without a file; returns false if there is one.
  private func putInPlace(_ temporary: String, _ path: String) throws(SystemError) -> Bool {
    do {
      try rename(temporary, to: path, .withoutReplacing)
      return true
    } catch {
      if error.code == EEXIST { return false }
      guard error.isUnsupported else { throw error }
    }
    guard try status(of: path) == nil else { return false }
    try rename(temporary, to: path)
    return true
  }

  /// Replaces an expected file; returns false and leaves any other file in place.
  private func exchange(
    _ temporary: String, _ new: FileStatus, at path: String, _ old: FileStatus,
    _ isUntouched: (String) throws(SystemError) -> Bool
  ) throws(SystemError) -> Bool {
    do {
      try rename(temporary, to: path, .exchanging)
    } catch {
      if error.code == ENOENT { return false }
      guard error.isUnsupported else { throw error }
      guard let current = try status(of: path), current.isUnwritten(since: old),
        try isUntouched(path)
      else { return false }
      try rename(temporary, to: path)
      return true
    }
    var failure: SystemError?
    do throws(SystemError) {
      if try isLeftUnwritten(temporary, since: old), try isUntouched(temporary) { return true }
    } catch {
      failure = error
    }
    try takeBack(temporary, new, at: path)
    if let failure { throw failure }
    return false
  }

  /// Whether the file taken out is the expected one, checked once no program has it open for
  /// writing.
  ///
  /// The wait for such a program is limited.
  private func isLeftUnwritten(
    _ path: String, since old: FileStatus
  ) throws(SystemError) -> Bool {
    let file = try open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW)
    for _ in 0..<50 {
      let isOpen = file.isOpenForWriting
      guard try file.status().isUnwritten(since: old) else { return false }
      if !isOpen { break }
      usleep(1000)
    }
    return true
  }

  /// Exchanges the files again, until the temporary path holds the new file or a file that another
  /// program has replaced since.
  private func takeBack(
    _ temporary: String, _ new: FileStatus, at path: String
  ) throws(SystemError) {
    var inPlace = new
    // A program that replaces the file during each attempt is not an editor.
    for _ in 0..<100 {
      guard let next = try status(of: temporary) else { return }
      do {
        try rename(temporary, to: path, .exchanging)
      } catch {
        // The path was removed meanwhile: its newest content is in the file taken out.
        guard error.code == ENOENT else { throw error }
        try rename(temporary, to: path, .withoutReplacing)
        return
      }
      guard let replaced = try status(of: temporary), !replaced.isUnwritten(since: inPlace) else {
        return
      }
      inPlace = next
    }
  }
}

extension FileStatus {
  /// Whether both are the same file with the same size and date; renaming does not matter.
  package func isUnwritten(since other: FileStatus) -> Bool {
    inode == other.inode && device == other.device && size == other.size
      && modified == other.modified
  }
}

extension File {
  /// Sets the file's date to the nanosecond, and returns it; nil if that is not possible.
  ///
  /// The kernel's own dates can be ticks of some milliseconds. Within a tick, another program's
  /// write would leave the date unchanged.
  fileprivate func stamp() -> Int? {
    var now = timespec()
    // Fails only for an unknown clock.
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    let times = [now, now]
    do throws(SystemError) {
      try check(.futimens) { unsafe futimens($0, times) }
      return now.nanoseconds
    } catch {
      return nil
    }
  }
}
