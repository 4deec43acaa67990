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
  package let group: gid_t
  package let links: Int
  /// Nanoseconds since 1970, to be compared for equality: it wraps around after the year 2262.
  package let modified: Int
  /// When content, owner, mode, names or `modified` were last changed, in the same way.
  package let changed: Int

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int(status.st_size)
    mode = status.st_mode
    owner = status.st_uid
    group = status.st_gid
    links = Int(status.st_nlink)
    // Anybody who may write the file can give it any date.
    modified = status.st_mtim.nanoseconds
    changed = status.st_ctim.nanoseconds
  }

  /// The time that the kernel would give a file that is changed now, in the same way.
  ///
  /// It ticks some hundred times a second, so files can change twice with the same time.
  package static var now: Int {
    var time = timespec()
    // Fails for an unknown clock alone.
    unsafe clock_gettime(CLOCK_REALTIME_COARSE, &time)
    return time.nanoseconds
  }

  package var permissions: mode_t { mode & 0o7777 }

  package var isRegularFile: Bool { mode & S_IFMT == S_IFREG }
  package var isDirectory: Bool { mode & S_IFMT == S_IFDIR }
  package var isSymbolicLink: Bool { mode & S_IFMT == S_IFLNK }
  package var isOpenToOthers: Bool { mode & 0o077 != 0 }
}

extension timespec {
  var nanoseconds: Int { tv_sec &* 1_000_000_000 &+ tv_nsec }
}
