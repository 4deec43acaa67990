import StorageInternals

/// Fails one call of a file system, by its number from 0, as long as it is armed.
final class FaultAtCall: Sendable {
  private struct State {
    var calls = 0
    var failed: String?
    var isArmed = false
  }

  private let state = Lock(State())
  private let index: Int
  private let code: Int32

  init(_ index: Int, code: Int32) {
    self.index = index
    self.code = code
  }

  /// Which call failed, on which path.
  var failed: String? { state.withLock { $0.failed } }

  /// Counts calls from now on, or lets every call happen.
  func arm(_ isArmed: Bool) {
    state.withLock { $0.isArmed = isArmed }
  }

  var fileSystem: FileSystem {
    FileSystem { call, path in
      // What watches the file works beside what is tested, and is not what it depends on.
      if call == .inotify || call == .readlink { return nil }
      return self.state.withLock { state in
        guard state.isArmed else { return nil }
        defer { state.calls += 1 }
        guard state.calls == self.index else { return nil }
        state.failed = "\(call.rawValue) \(path)"
        return self.code
      }
    }
  }
}
