package import CLibrary
import Concurrency
package import StorageInternals
package import Testing

/// A failure of each call of one kind, which lasts until it ends.
package final class Outage: Sendable {
  private let isOn: Lock<Bool>
  package let fileSystem: FileSystem

  /// Fails only the calls on paths with a suffix, if one is given.
  package init(
    of call: FileSystem.Call, on suffix: String = "", code: Int32 = EIO, isOn: Bool = true
  ) {
    let isOn = Lock(isOn)
    self.isOn = isOn
    fileSystem = FileSystem { made, path in
      made == call && path.hasSuffix(suffix) && isOn.withLock { $0 } ? code : nil
    }
  }

  package func begin() { isOn.withLock { $0 = true } }

  package func end() { isOn.withLock { $0 = false } }
}

// File systems with closures or modes of their own.
extension FileSystem {
  /// A file system that calls a closure before each call of one kind, or only those on one path.
  package static func before(
    _ call: Call, on path: String? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @escaping @Sendable (String) throws -> Void
  ) -> FileSystem {
    FileSystem { made, at in
      if made != call || at != path ?? at { return nil }
      recordingErrors(sourceLocation: sourceLocation) { try body(at) }
      return nil
    }
  }

  /// A file system that runs a closure before each call, with all the earlier calls.
  ///
  /// The call fails with the code that the closure returns. An error of the closure is an issue.
  package static func recording(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @escaping @Sendable (_ call: Call, _ earlier: [Call]) throws -> Int32?
  ) -> FileSystem {
    let made = Lock([Call]())
    return FileSystem { call, _ in
      let earlier = made.withLock { made in
        defer { made.append(call) }
        return made
      }
      do {
        return try body(call, earlier)
      } catch {
        Issue.record(error, sourceLocation: sourceLocation)
        return nil
      }
    }
  }

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
