import CLibrary

// Creating, flushing and listing directories.
extension FileSystem {
  /// Creates a directory and its missing parents durably, with mode 0700, and returns the highest
  /// one that was created; nil if the last one exists.
  @discardableResult
  package func makeDirectories(_ path: String) throws(SystemError) -> String? {
    if path.utf8.last == UInt8(ascii: "/") {
      // There is no last component to create.
      return try path == "/" ? nil : makeDirectories(path.parentDirectory)
    }
    do {
      return try makeDirectory(path) ? path : nil
    } catch {
      guard error.code == ENOENT, path.parentDirectory != path else { throw error }
      let highest = try makeDirectories(path.parentDirectory)
      // Retried only once, because a parent that is a dangling link remains missing.
      return try makeDirectory(path) ? highest ?? path : nil
    }
  }

  /// Returns false if the directory exists.
  private func makeDirectory(_ path: String) throws(SystemError) -> Bool {
    let name = path.lastComponent
    let parent = try openDirectory(path.parentDirectory)
    do {
      try check(.mkdir, at: path) { unsafe mkdirat(parent.descriptor, name, 0o700) }
    } catch {
      // NFS and sandboxes may refuse this before it is known that the directory exists.
      guard [EEXIST, EACCES, EPERM, EROFS].contains(error.code) else { throw error }
      guard let found = try status(of: path, followingLink: true) else {
        throw error.code == EEXIST ? SystemError(call: .stat, path: path, code: ENOENT) : error
      }
      if found.isDirectory { return false }
      throw SystemError(call: .mkdir, path: path, code: ENOTDIR)
    }
    do {
      try undoUmask(of: path, in: parent)
      try give(path, toOwnerOf: parent)
    } catch {
      // An unusable directory must not remain.
      _ = unsafe unlinkat(parent.descriptor, name, AT_REMOVEDIR)
      throw error
    }
    try parent.synchronizeEntries()
    return true
  }

  private func give(_ path: String, toOwnerOf parent: borrowing File) throws(SystemError) {
    let place = try parent.status()
    guard geteuid() == 0, place.owner != 0 else { return }
    let new = try within(parent).open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    // The owner of the parent may have put another directory of root in the place of the new one.
    if try new.status().owner == 0, new.isEmpty { try new.giveToOwner(of: place) }
  }

  /// Gives a new directory the mode 0700, unless it has it.
  private func undoUmask(of path: String, in parent: borrowing File) throws(SystemError) {
    guard let mode = try within(parent).status(of: path)?.permissions, mode & 0o777 != 0o700 else {
      return
    }
    let name = path.lastComponent
    do {
      // By name, because its owner may be unable to open it.
      try check(.fchmod, at: path) {
        unsafe fchmodat(parent.descriptor, name, mode & 0o7000 | 0o700, AT_SYMLINK_NOFOLLOW)
      }
    } catch {
      if error.isRefusal, mode & 0o700 == 0o700 { return }
      throw SystemError(call: .mkdir, path: path, code: error.code)
    }
  }

  /// Opens a directory for finding files in it and, unless it may not be listed, for flushing it.
  func openDirectory(_ path: String) throws(SystemError) -> File {
    do {
      return try open(path, O_RDONLY | O_DIRECTORY)
    } catch {
      if error.code != EACCES { throw error }
    }
    // O_PATH, which Swift does not import from <fcntl.h>.
    return try open(path, 0o10000000 | O_DIRECTORY)
  }

  /// Flushes the entries of a directory, as ``File/synchronizeEntries()`` does.
  @discardableResult
  package func synchronizeDirectory(_ path: String) throws(SystemError) -> Bool {
    try openDirectory(path).synchronizeEntries()
  }

  /// Flushes the names of a directory and of its parents, up to the root of its file system or the
  /// first one in a directory that this user cannot write to.
  func synchronizeNames(to path: String) throws(SystemError) {
    let parent = path.parentDirectory
    guard parent != path, unsafe access(parent, W_OK) == 0,
      try status(of: path)?.device == status(of: parent, followingLink: true)?.device
    else { return }
    do {
      try synchronizeDirectory(parent)
    } catch {
      // A file system or sandbox that refuses this always does, and the disk is in order.
      if !error.isRefusal { throw error }
    }
    try synchronizeNames(to: parent)
  }

  /// Returns the names of a directory's entries, except `.` and `..`, in no particular order.
  package func entries(of path: String) throws(SystemError) -> [String] {
    var stream: OpaquePointer?
    try check(.opendir, at: path) {
      unsafe stream = opendir(path)
      return unsafe stream == nil ? -1 : 0
    }
    // `check` throws if there is no stream.
    let directory = unsafe stream!
    defer { unsafe closedir(directory) }

    var names: [String] = []
    while true {
      var name: String?
      try check(.readdir, path) {
        // At the end, the result is the same as on failure, but the error number remains 0.
        errno = 0
        guard let entry = unsafe readdir(directory) else { return errno == 0 ? 0 : -1 }
        // An entry may be shorter than the struct, so it must not be copied.
        let offset = MemoryLayout<dirent>.offset(of: \.d_name)!
        let characters = unsafe UnsafeRawPointer(entry).advanced(by: offset)
        name = unsafe String(cString: characters.assumingMemoryBound(to: CChar.self))
        return 0
      }
      guard let name else { return names }
      if name != ".", name != ".." { names.append(name) }
    }
  }
}

extension File {
  /// Flushes the entries of an open directory, with an uncertain error; returns false if the file
  /// system cannot do that, or the directory could not be opened for it.
  @discardableResult
  func synchronizeEntries() throws(SystemError) -> Bool {
    do {
      try synchronize()
      return true
    } catch {
      // The codes of file systems without such a flush, and of O_PATH.
      if [EINVAL, ENOSYS, EOPNOTSUPP, EBADF].contains(error.code) { return false }
      throw SystemError(call: error.call, path: error.path, code: error.code, isUncertain: true)
    }
  }
}
