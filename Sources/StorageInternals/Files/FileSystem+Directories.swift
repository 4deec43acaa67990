import CLibrary

extension FileSystem {
  /// Creates a directory and its missing parents durably, with access for their owner only.
  ///
  /// Existing directories and symbolic links to directories are left unchanged. The umask does not
  /// affect the mode. If root creates directories, their owner is that of the nearest existing one.
  package func makeDirectories(_ path: String) throws(SystemError) {
    do {
      try makeDirectory(path)
    } catch {
      guard error.code == ENOENT, path.parentDirectory != path else { throw error }
      try makeDirectories(path.parentDirectory)
      // Retried only once, because a parent that is a dangling link remains missing.
      try makeDirectory(path)
    }
  }

  /// Calls a closure; if it throws `ENOENT`, creates the parent directories and calls it again.
  package func makingDirectories<Result: ~Copyable>(
    for path: String, _ body: () throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    do {
      return try body()
    } catch {
      if error.code != ENOENT { throw error }
    }
    try makeDirectories(path.parentDirectory)
    return try body()
  }

  private func makeDirectory(_ path: String) throws(SystemError) {
    let name = path.lastComponent
    // O_PATH, which Swift does not import from <fcntl.h>. The descriptor keeps the owner of the
    // parent from leading root to another directory by a symbolic link.
    let flags = 0o10000000 | O_DIRECTORY | O_CLOEXEC
    let descriptor = try check(.mkdir, at: path) {
      unsafe CLibrary.open(path.parentDirectory, flags)
    }
    let parent = File(descriptor: descriptor, path: path.parentDirectory, fileSystem: self)
    do {
      try check(.mkdir, at: path) { parent.withDescriptor { unsafe mkdirat($0, name, 0o700) } }
    } catch {
      guard error.code == EEXIST else { throw error }
      var status = stat()
      try check(.stat, at: path) { unsafe stat(path, &status) }
      guard FileStatus(status).isDirectory else {
        throw SystemError(call: .mkdir, path: path, code: ENOTDIR)
      }
      return
    }
    try undoUmask(of: path, in: parent)
    let directory = try parent.status()
    if geteuid() == 0, directory.owner != 0 {
      let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
      let descriptor = try check(.open, at: path) {
        parent.withDescriptor { unsafe openat($0, name, flags) }
      }
      let file = File(descriptor: descriptor, path: path, fileSystem: self)
      try file.giveToOwner(of: directory)
    }
    try synchronizeDirectory(path.parentDirectory)
  }

  /// Gives a new directory the mode 0700, unless it has it.
  private func undoUmask(of path: String, in parent: borrowing File) throws(SystemError) {
    let name = path.lastComponent
    var status = stat()
    try check(.stat, at: path) {
      parent.withDescriptor { unsafe fstatat($0, name, &status, AT_SYMLINK_NOFOLLOW) }
    }
    let mode = status.st_mode & 0o7777
    if mode & 0o777 == 0o700 { return }
    do {
      // By name, because its owner may be unable to open it.
      try check(.fchmod, at: path) {
        parent.withDescriptor {
          unsafe fchmodat($0, name, mode & 0o7000 | 0o700, AT_SYMLINK_NOFOLLOW)
        }
      }
    } catch {
      guard error.isUnsupported, mode & 0o700 == 0o700 else { throw error }
    }
  }

  /// Opens a directory for flushing its entries.
  ///
  /// A directory that cannot be listed cannot be opened either. A new file in it, without a name,
  /// takes its place, and the whole file system is flushed.
  func openDirectory(_ path: String) throws(SystemError) -> File {
    do {
      return try open(path, O_RDONLY | O_DIRECTORY)
    } catch {
      if error.code != EACCES { throw error }
    }
    var file = try openWithoutName(in: path)
    file.isForDirectory = true
    return file
  }

  /// Flushes a directory's entries to disk, so that a new or renamed file survives a power failure.
  ///
  /// Returns false if the file system cannot flush directories.
  @discardableResult
  package func synchronizeDirectory(_ path: String) throws(SystemError) -> Bool {
    try openDirectory(path).synchronizeEntries()
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
  /// Flushes the entries of an open directory to disk.
  ///
  /// - Returns: False if the file system cannot flush directories.
  /// - Throws: A `SystemError` that is uncertain, because the changes to the entries are in place.
  @discardableResult
  func synchronizeEntries() throws(SystemError) -> Bool {
    do {
      try synchronize()
      return true
    } catch {
      // The codes of file systems without such a flush.
      if [EINVAL, ENOSYS, EOPNOTSUPP].contains(error.code) { return false }
      throw SystemError(call: error.call, path: error.path, code: error.code, isUncertain: true)
    }
  }
}
