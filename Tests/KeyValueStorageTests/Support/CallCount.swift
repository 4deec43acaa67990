import Concurrency
import StorageInternals

/// A counter of one kind of system call.
final class CallCount: Sendable {
  private let count = Lock(0)
  private let call: FileSystem.Call
  private let path: String?

  /// Counts only the calls on one path, if it is given.
  init(of call: FileSystem.Call, on path: String? = nil) {
    self.call = call
    self.path = path
  }

  var value: Int { count.withLock { $0 } }

  var fileSystem: FileSystem {
    FileSystem { call, path in
      if call == self.call, path == self.path ?? path { self.count.withLock { $0 += 1 } }
      return nil
    }
  }
}
