import StorageInternals

/// Fails one call of a file system, by its number from 0, and counts them all.
final class FaultAtCall: Sendable {
  private let state = Lock(0)
  private let index: Int
  private let code: Int32

  init(_ index: Int, code: Int32) {
    self.index = index
    self.code = code
  }

  var calls: Int { state.withLock { $0 } }
  var happened: Bool { calls > index }

  var fileSystem: FileSystem {
    FileSystem { _, _ in
      self.state.withLock { calls in
        defer { calls += 1 }
        return calls == self.index ? self.code : nil
      }
    }
  }
}
