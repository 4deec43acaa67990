package import CLibrary
import Concurrency
package import StorageInternals

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

  /// A file system in which directories can be neither opened nor listed, with or without unnamed
  /// files.
  package static func unlistable(
    _ directories: [String], hasUnnamedFiles: Bool = true
  ) -> FileSystem {
    let refused = Lock(Set<String>())
    return FileSystem { call, path in
      if [.open, .opendir].contains(call), directories.contains(path) { return EACCES }
      // The first attempt to open a new file is without a name.
      guard !hasUnnamedFiles, call == .open, path.hasSuffix(".tmp") else { return nil }
      return refused.withLock { $0.insert(path).inserted } ? EOPNOTSUPP : nil
    }
  }
}
