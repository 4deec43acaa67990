#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

extension FileSystem {
  /// Makes a directory and those above it, durably and each for its owner alone.
  ///
  /// Existing ones, and symbolic links to directories, stay as they are.
  package func makeDirectories(_ path: String) throws(SystemError) {
    do {
      try makeDirectory(path)
    } catch {
      guard error.code == ENOENT, path.parentDirectory != path else { throw error }
      try makeDirectories(path.parentDirectory)
      // Once: with a dangling link on the way it would be missing for ever.
      try makeDirectory(path)
    }
  }

  /// Does what makes a file, and does it again when it failed because a directory was missing.
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

  /// Opens a directory, for making its entries durable.
  func openDirectory(_ path: String) throws(SystemError) -> File {
    try open(path, O_RDONLY | O_DIRECTORY)
  }

  /// Makes a directory's entries durable, so that a new or renamed file survives a power cut.
  package func synchronizeDirectory(_ path: String) throws(SystemError) {
    try openDirectory(path).synchronizeEntries()
  }

  /// The names in a directory, without those of itself and its parent, in no particular order.
  package func entries(of path: String) throws(SystemError) -> [String] {
    var stream: OpaquePointer?
    try check(.opendir, at: path) {
      unsafe stream = opendir(path)
      return unsafe stream == nil ? -1 : 0
    }
    // `check` throws when there is no stream; this one is closed once, below.
    let directory = unsafe stream!
    defer { unsafe closedir(directory) }

    var names: [String] = []
    while true {
      var name: String?
      try check(.readdir, path) {
        // The end and a failure are told apart by the error number alone.
        errno = 0
        guard let entry = unsafe readdir(directory) else { return errno == 0 ? 0 : -1 }
        // By address: an entry is as long as its name, so copying the struct reads beyond it.
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
      // The answer of file systems that have nothing to do for a directory.
      if error.code != EINVAL { throw error }
    }
  }
}
