import CLibrary
package import StorageInternals

// The open files and the threads of a process, in `/proc`.
extension FileSystem {
  /// Returns the targets of the links in a directory of `/proc`, where links may vanish meanwhile.
  package func targets(in directory: String) throws -> [String] {
    try entries(of: directory).compactMap { name in
      do throws(SystemError) {
        return try linkTarget(of: "\(directory)/\(name)")
      } catch {
        if error.code == ENOENT { return nil }
        throw error
      }
    }
  }

  /// Returns the names of this process's threads that begin with a prefix.
  package func threads(named prefix: String) throws -> [String] {
    try entries(of: "/proc/self/task").compactMap { number in
      do throws(SystemError) {
        let file = try open("/proc/self/task/\(number)/comm", O_RDONLY)
        let name = String(decoding: try file.read(from: 0, count: 64).dropLast(), as: UTF8.self)
        return name.hasPrefix(prefix) ? name : nil
      } catch {
        // It has ended meanwhile.
        if error.code == ENOENT || error.code == ESRCH { return nil }
        throw error
      }
    }
  }
}
