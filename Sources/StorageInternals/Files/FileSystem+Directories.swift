import CLibrary

extension FileSystem {
  /// Creates a directory and its missing parents, durably and each for its owner alone.
  ///
  /// Existing directories, and symbolic links to directories, stay unchanged.
  package func makeDirectories(_ path: String) throws(SystemError) {
    do {
      try makeDirectory(path)
    } catch {
      guard error.code == ENOENT, path.parentDirectory != path else { throw error }
      try makeDirectories(path.parentDirectory)
      // One retry only: behind a dangling link the directory stays missing.
      try makeDirectory(path)
    }
  }

  /// Runs a closure; on `ENOENT`, creates the parent directories and retries once.
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
    do {
      try check(.mkdir, at: path) { unsafe mkdir(path, 0o700) }
    } catch {
      guard error.code == EEXIST else { throw error }
      var status = stat()
      try check(.stat, at: path) { unsafe stat(path, &status) }
      guard FileStatus(status).isDirectory else {
        throw SystemError(call: .mkdir, path: path, code: ENOTDIR)
      }
      return
    }
    try synchronizeDirectory(path.parentDirectory)
  }

  /// Opens a directory, to make its entries durable.
  func openDirectory(_ path: String) throws(SystemError) -> File {
    try open(path, O_RDONLY | O_DIRECTORY)
  }

  /// Makes a directory's entries durable, so that a new or renamed file survives a power cut.
  package func synchronizeDirectory(_ path: String) throws(SystemError) {
    try openDirectory(path).synchronizeEntries()
  }

  /// Returns the names in a directory, without `.` and `..`, in no particular order.
  package func entries(of path: String) throws(SystemError) -> [String] {
    var stream: OpaquePointer?
    try check(.opendir, at: path) {
      unsafe stream = opendir(path)
      return unsafe stream == nil ? -1 : 0
    }
    // `check` throws when there is no stream; this stream is closed once, below.
    let directory = unsafe stream!
    defer { unsafe closedir(directory) }

    var names: [String] = []
    while true {
      var name: String?
      try check(.readdir, path) {
        // Only the error number distinguishes the end from a failure.
        errno = 0
        guard let entry = unsafe readdir(directory) else { return errno == 0 ? 0 : -1 }
        // By address: an entry ends after its name, so a copy of the struct reads beyond it.
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
  /// Makes an open directory's entries durable.
  func synchronizeEntries() throws(SystemError) {
    do {
      try synchronize()
    } catch {
      // Some file systems report this because a directory needs no flush.
      if error.code != EINVAL { throw error }
    }
  }
}
