#if canImport(Glibc)
  package import Glibc
#else
  package import Musl
#endif

/// What `stat` says of a file, as far as the stores ask.
package struct FileStatus: Hashable, Sendable {
  package let device: UInt64
  package let inode: UInt64
  package let size: Int
  package let mode: mode_t
  package let owner: uid_t
  package let links: Int
  /// Nanoseconds since 1970, to be compared for equality: it wraps around after the year 2262.
  package let modified: Int

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int(status.st_size)
    mode = status.st_mode
    owner = status.st_uid
    links = Int(status.st_nlink)
    // Anybody who may write the file can give it any date.
    modified = status.st_mtim.tv_sec &* 1_000_000_000 &+ status.st_mtim.tv_nsec
  }

  package var isRegularFile: Bool { mode & S_IFMT == S_IFREG }
  package var isDirectory: Bool { mode & S_IFMT == S_IFDIR }
  package var isSymbolicLink: Bool { mode & S_IFMT == S_IFLNK }
  package var isOpenToOthers: Bool { mode & 0o077 != 0 }
}
