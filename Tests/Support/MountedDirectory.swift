import CLibrary
import StorageInternals

/// A file system in memory, mounted on a directory until this object is released; needs root.
package final class MountedDirectory {
  package static let isPossible: Bool = {
    do {
      let directory = try TemporaryDirectory()
      _ = try MountedDirectory(directory("mount"), "size=64k")
      return true
    } catch {
      return false
    }
  }()

  package let path: String

  /// Mounts it, with options of `tmpfs` such as `size=64k` or `nr_inodes=10`.
  package init(_ path: String, _ options: String, type: String = "tmpfs") throws {
    self.path = path
    try FileSystem().makeDirectories(path)
    let result = unsafe options.withCString {
      unsafe mount("locket", path, type, 0, UnsafeRawPointer($0))
    }
    if result != 0 { throw SystemError(call: .mkdir, path: path, code: errno) }
  }

  deinit { _ = unsafe umount2(path, Int32(MNT_DETACH)) }

  /// Remounts the file system, read-only or writable.
  package func remount(readOnly: Bool) throws {
    let flags = UInt(MS_REMOUNT | (readOnly ? MS_RDONLY : 0))
    // A child that another test starts has each file open until it executes its program.
    try wait {
      if unsafe mount("locket", path, "tmpfs", flags, nil) == 0 { return true }
      if errno != EBUSY { throw SystemError(call: .mkdir, path: path, code: errno) }
      return false
    }
  }

  /// Takes all the remaining space.
  package func fill() throws {
    let file = try FileSystem().open("\(path)/filling", O_WRONLY | O_CREAT, mode: 0o600)
    var size = try file.status().size
    for count in [4096, 512, 1] {
      do throws(SystemError) {
        while true {
          try file.write([UInt8](repeating: 0, count: count), at: size)
          size += count
        }
      } catch {
        if error.code != ENOSPC { throw error }
      }
    }
  }

  package func makeRoom() throws {
    // Truncated first, because a child of another test may still have it open.
    try FileSystem().open("\(path)/filling", O_WRONLY).truncate(to: 0)
    try FileSystem().unlink("\(path)/filling")
  }
}
