package import CLibrary

/// The metadata of a file.
package struct FileStatus: Hashable, Sendable {
  package let device: UInt64
  package let inode: UInt64
  package let size: Int
  package let mode: mode_t
  package let owner: uid_t
  package let group: gid_t
  package let links: Int
  /// The modification time in nanoseconds since 1970, which wraps around after the year 2262.
  package let modified: Int
  /// The time of the last change to the content or the metadata, in the same unit.
  package let changed: Int

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int(status.st_size)
    mode = status.st_mode
    owner = status.st_uid
    group = status.st_gid
    links = Int(status.st_nlink)
    modified = status.st_mtim.nanoseconds
    changed = status.st_ctim.nanoseconds
  }

  /// The time that the kernel would record for a change made now, in the unit of `changed`.
  package static var now: Int {
    var time = timespec()
    // The call fails only for an unknown clock.
    unsafe clock_gettime(CLOCK_REALTIME_COARSE, &time)
    return time.nanoseconds
  }

  package var permissions: mode_t { mode & 0o7777 }

  package var isRegularFile: Bool { mode & S_IFMT == S_IFREG }
  package var isDirectory: Bool { mode & S_IFMT == S_IFDIR }
  package var isSymbolicLink: Bool { mode & S_IFMT == S_IFLNK }
  /// Whether the owner has no permission to write the file, which root and a rename would ignore.
  package var isReadOnly: Bool { mode & 0o200 == 0 }
  package var isAccessibleToOthers: Bool { mode & 0o077 != 0 }

  package func isUnmodified(since other: FileStatus) -> Bool {
    inode == other.inode && device == other.device && size == other.size
      && modified == other.modified
  }

  package func isUnchanged(since other: FileStatus) -> Bool {
    isUnmodified(since: other) && changed == other.changed
  }

  /// Returns why a path no longer leads to the unchanged file, or is a symbolic link, as a clause.
  package func change(of path: String) throws(SystemError) -> String? {
    guard let now = try FileSystem().status(of: path) else { return "it no longer exists" }
    if now.isSymbolicLink { return "it is a symbolic link; specify the file itself" }
    return now == self ? nil : "it was changed after it was read"
  }
}

extension timespec {
  var nanoseconds: Int { tv_sec &* 1_000_000_000 &+ tv_nsec }
}
