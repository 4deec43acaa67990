import StorageInternals

/// The observers of changes of a file, with one watch for all.
final class FileObservers: Sendable {
  private struct State {
    var handlers: [UInt64: @Sendable () -> Void] = [:]
    var next: UInt64 = 0
    /// Not nil as long as there are handlers.
    var watch: PathWatch?
  }

  private let path: String
  private let fileSystem: FileSystem
  private let state = Lock(State(), inForkedChild: { State() })

  init(path: String, fileSystem: FileSystem) {
    self.path = path
    self.fileSystem = fileSystem
  }

  /// Has a handler called after each change until the result is released.
  func add(
    _ handler: @escaping @Sendable () -> Void
  ) throws(KeyValueStoreError) -> KeyValueObservation {
    let number = try state.withLock { state throws(KeyValueStoreError) in
      if state.watch == nil { state.watch = try makeWatch() }
      state.next += 1
      state.handlers[state.next] = handler
      return state.next
    }
    return KeyValueObservation { self.remove(number) }
  }

  private func makeWatch() throws(KeyValueStoreError) -> PathWatch {
    try system { () throws(SystemError) in
      try PathWatch(path: path, in: fileSystem) { [weak self] in self?.announce() }
    }
  }

  private func announce() {
    // They may add and remove others.
    let handlers = state.withLock { Array($0.handlers.values) }
    for handler in handlers { handler() }
  }

  private func remove(_ number: UInt64) {
    // Released outside of the lock, for what they hold may end observations as well.
    let released = state.withLock { state in
      let handler = state.handlers.removeValue(forKey: number)
      let watch = state.handlers.isEmpty ? state.watch : nil
      if state.handlers.isEmpty { state.watch = nil }
      return (handler, watch)
    }
    withExtendedLifetime(released) {}
  }
}
