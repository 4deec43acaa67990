import Concurrency
package import StorageInternals

/// A fault at one call of a file system, by its number from 0; counts all calls while armed.
package final class FaultAtCall: Sendable {
  private struct State {
    var calls = 0
    var failed: String?
    var isArmed: Bool
  }

  private let state: Lock<State>
  private let index: Int
  private let code: Int32
  private let exceptions: Set<FileSystem.Call>

  package init(
    _ index: Int, code: Int32, isArmed: Bool = true, exceptions: Set<FileSystem.Call> = []
  ) {
    self.index = index
    self.code = code
    self.exceptions = exceptions
    state = Lock(State(isArmed: isArmed))
  }

  package var calls: Int { state.withLock { $0.calls } }
  package var happened: Bool { failed != nil }
  /// The failed call and its path.
  package var failed: String? { state.withLock { $0.failed } }

  /// Starts counting and failing calls.
  package func arm() {
    state.withLock { $0.isArmed = true }
  }

  /// Stops counting and failing calls.
  package func disarm() {
    state.withLock { $0.isArmed = false }
  }

  package var fileSystem: FileSystem {
    FileSystem { call, path in
      if self.exceptions.contains(call) { return nil }
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
