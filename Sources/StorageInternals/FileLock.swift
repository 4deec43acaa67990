#if canImport(Glibc)
  package import Glibc
#else
  package import Musl
#endif

/// A turn at something that one thread of one process may do at a time, over when this is released.
///
/// The lock is the kernel's on an open file (`flock`), so it goes with the process that holds it,
/// however that ends. Each `FileLock` opens the file by itself, so threads of one process exclude
/// each other as processes do. It protects files: the thread sanitizer, and the memory model, know
/// nothing of it.
///
/// The file is one beside the data, never the data itself: replacing a file by renaming gives its
/// path another inode, and two processes would each hold the lock of a different one. The file is
/// empty and stays there.
package struct FileLock: ~Copyable, Sendable {
  private let file: File

  /// Waits for the turn, blocking the thread.
  ///
  /// The path is the lock's own, whose file is made, for its owner alone, if there is none.
  package init(at path: String, in fileSystem: FileSystem = FileSystem()) throws(SystemError) {
    while true {
      let file = try Self.open(path, fileSystem)
      try file.lock()
      if try file.isStill(at: path, in: fileSystem) {
        self.file = file
        return
      }
      // Somebody removed or replaced the file meanwhile: others lock the new one.
    }
  }

  /// Gives the lock's file to a user, so that it can be taken by who owns what it protects.
  package func give(to user: uid_t) throws(SystemError) {
    let status = try file.status()
    // What has another name is somebody's file, put here to be given away.
    guard status.owner != user, status.links == 1, status.size == 0 else { return }
    try file.changeOwner(to: user, group: .max)
  }

  private init(file: consuming File) {
    self.file = file
  }

  /// Takes the turn if it is nobody's; nil otherwise.
  package static func ifFree(
    at path: String, in fileSystem: FileSystem = FileSystem()
  ) throws(SystemError) -> FileLock? {
    let file = try open(path, fileSystem)
    guard try file.lockIfFree(), try file.isStill(at: path, in: fileSystem) else { return nil }
    return FileLock(file: file)
  }

  /// Ends the turn before this goes out of scope.
  package consuming func release() {}

  private static func open(_ path: String, _ fileSystem: FileSystem) throws(SystemError) -> File {
    try fileSystem.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
  }
}

extension File {
  /// Whether a path still leads to this very file.
  fileprivate func isStill(
    at path: String, in fileSystem: FileSystem
  ) throws(SystemError) -> Bool {
    guard let current = try fileSystem.status(of: path) else { return false }
    let own = try status()
    return own.inode == current.inode && own.device == current.device
  }
}
