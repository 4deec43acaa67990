package import CLibrary
import Concurrency
package import StorageInternals

// File systems with modes of their own.
extension FileSystem {
  /// A file system without unnamed files that gives each temporary file a mode, as some FUSE file
  /// systems do, and refuses every other mode with an error, or ignores it.
  package static func giving(_ mode: mode_t, refusingWith code: Int32?) -> FileSystem {
    FileSystem { call, path in
      guard path.hasSuffix(".tmp") else { return nil }
      switch call {
      case .link: return EOPNOTSUPP
      case .fchmod: return code
      case .stat:
        // The call copies the path, at which there is no file before the first `link`.
        _ = unsafe chmod(path, mode)
        return nil
      default: return nil
      }
    }
  }

  /// A file system in which directories can be written, but not listed.
  package static func unlistable(_ directories: [String]) -> FileSystem {
    let refused = Lock(Set<String>())
    return FileSystem { call, path in
      guard directories.contains(path) else { return nil }
      if call == .opendir { return EACCES }
      guard call == .open else { return nil }
      // A thread that is refused then opens the directory with O_PATH, which is permitted.
      let attempt = "\(path) \(pthread_self())"
      return refused.withLock {
        if $0.remove(attempt) != nil { return nil }
        $0.insert(attempt)
        return EACCES
      }
    }
  }
}
