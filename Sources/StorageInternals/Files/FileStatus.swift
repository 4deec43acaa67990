package import CLibrary

/// The part of a file's `stat` result that the stores use.
package struct FileStatus: Hashable, Sendable {
  package let device: UInt64
  package let inode: UInt64
  package let size: Int
  package let mode: mode_t
  package let owner: uid_t
  package let group: gid_t
  package let links: Int
  /// Nanoseconds since 1970, to be compared for equality; wraps around after the year 2262.
  package let modified: Int
  /// The last change of content, owner, mode, names or `modified`, in the same unit.
  package let changed: Int

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int(status.st_size)
    mode = status.st_mode
    owner = status.st_uid
    group = status.st_gid
    links = Int(status.st_nlink)
    // Any process that may write the file can set any date.
    modified = status.st_mtim.nanoseconds
    changed = status.st_ctim.nanoseconds
  }

  /// The time that the kernel would record for a change made now, in the same unit.
  ///
  /// The clock ticks a few hundred times a second, so two changes can have the same time.
  package static var now: Int {
    var time = timespec()
    // Fails only for an unknown clock.
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

// Paths are split by bytes, as in the kernel: a slash and a combining mark form one character.

extension String {
  /// The path of the directory that holds this path's last component.
  package var parentDirectory: String {
    guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == startIndex ? "/" : String(self[..<slash])
  }

  /// The part after the last slash.
  package var lastComponent: String {
    guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return self }
    return String(self[utf8.index(after: slash)...])
  }

  /// Whether both paths are equal byte for byte.
  package func isSamePath(as other: String) -> Bool {
    utf8.elementsEqual(other.utf8)
  }

  /// Whether a C function would read this path only up to a zero byte.
  ///
  /// Each call on a path checks this; `strlen` is many times as fast as a loop over the bytes.
  var hasNUL: Bool {
    unsafe withCString { unsafe strlen($0) } != utf8.count
  }
}
