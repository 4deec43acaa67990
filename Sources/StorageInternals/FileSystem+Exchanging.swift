#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

extension FileSystem {
  /// A file that was put in the place of another one.
  package struct Replacement: ~Copyable {
    /// The new file, still open for writing.
    package let file: File
    /// The date that the file was given, so that every later write gives it another one.
    package let modified: Int?
    /// Whether the file that was replaced is left at its temporary path.
    package let hasLeftover: Bool
  }

  /// Replaces a file as `replaceFile` does, unless another program has changed or replaced it.
  ///
  /// The two files are exchanged, and the one that comes out is looked at: so what another program
  /// wrote up to that moment is noticed, and put back. Where the kernel or the file system cannot
  /// exchange files, what was written up to a moment before is noticed. A program that has the old
  /// file open for writing has 50 milliseconds to write.
  ///
  /// - Parameters:
  ///   - path: The file, in a directory that is there.
  ///   - bytes: All of the new content.
  ///   - old: The file that is expected at the path, whose owner, group and mode are kept; nil for
  ///     none, which makes a file for its owner alone.
  ///   - isUntouched: Whether the file at a path, of the size and date expected, has the content
  ///     expected.
  /// - Returns: The new file; nil if the path leads to content that is not expected.
  /// - Throws: As `replaceFile`.
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
    // It is the old file, or the new one that is not wanted.
    let isDiscarded = old == nil && isInPlace || discard(file.path)
    guard isInPlace else { return nil }
    try directory.synchronizeEntries()
    return Replacement(
      file: file, modified: stamp == new.modified ? stamp : nil, hasLeftover: !isDiscarded)
  }

  /// Puts a file at a path without one; returns false if there is one.
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

  /// Puts a file in the place of an expected one, or returns false with any other file left there.
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

  /// Whether a file that was taken out is the one expected, once no program has it open for
  /// writing.
  ///
  /// A program that goes on writing to it for longer is not waited for.
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

  /// Exchanges files once more, until only the new file, or one that another program has replaced
  /// since, is left at the temporary path.
  private func takeBack(
    _ temporary: String, _ new: FileStatus, at path: String
  ) throws(SystemError) {
    var inPlace = new
    // A program that replaces the file at each of the attempts is none that a person edits with.
    for _ in 0..<100 {
      guard let next = try status(of: temporary) else { return }
      do {
        try rename(temporary, to: path, .exchanging)
      } catch {
        // The path was removed meanwhile: its newest content is the one taken out.
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
  /// Whether this is the same file, with the same size and date; renaming it makes no difference.
  fileprivate func isUnwritten(since other: FileStatus) -> Bool {
    inode == other.inode && device == other.device && size == other.size
      && modified == other.modified
  }
}

extension File {
  /// Dates the file to the nanosecond, and returns the date; nil where that is not possible.
  ///
  /// The kernel's own dates may be ticks of some milliseconds. In a tick another program can write
  /// without the date showing it.
  fileprivate func stamp() -> Int? {
    var now = timespec()
    // Fails for an unknown clock alone.
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
