import Dispatch
import KeyValueStorage
import Synchronization

/// A store whose backend tells which key has changed, and observers that are notified.
final class AnnouncedChanges: Sendable {
  private let backend: ServerBackend
  private let store: KeyValueStore
  private let observation: KeyValueObservation
  private let heard = DispatchSemaphore(value: 0)

  init(keys: Int) {
    backend = ServerBackend(keys: keys)
    store = KeyValueStore(backend)
    observation = store.observe { [heard] _ in heard.signal() }
  }

  /// Changes keys on the server, one after another, each when the last one has been announced.
  func run(_ iterations: Int) {
    for _ in 0..<iterations {
      backend.change()
      heard.wait()
    }
  }
}

/// A server in memory, whose values others change.
private final class ServerBackend: KeyValueBackend {
  private struct State: Sendable {
    var contents: KeyValueContents
    var lastChange = KeyValueChanges()
    var handler: (@Sendable () -> Void)?
  }

  let format = KeyValueFormat.json
  let name = "a server"
  private let keys: Int
  private let state: Mutex<State>

  init(keys: Int) {
    self.keys = keys
    let values = (0..<keys).map { (BenchmarkSettings.key($0), Self.value($0)) }
    state = Mutex(State(contents: KeyValueContents(values, revision: 0)))
  }

  private static func value(_ index: Int) -> EncodedValue {
    ArraySlice("\"\(BenchmarkSettings.value(index))\"".utf8)
  }

  /// Changes one key, and notifies the store.
  func change() {
    let handler = state.withLock { state in
      let revision = state.contents.revision + 1
      // Neighboring keys would be in the same part of the processor's cache.
      let index = Int(revision) &* 7919 % keys
      state.lastChange = KeyValueChanges()
      state.lastChange.set(BenchmarkSettings.key(index), to: Self.value(index + Int(revision)))
      state.contents = state.contents.applying(state.lastChange, revision: revision)
      return state.handler
    }
    handler?()
  }

  func load() -> KeyValueContents { state.withLock { $0.contents } }

  func load(updating contents: KeyValueContents) -> KeyValueContents {
    state.withLock { state in
      let revision = state.contents.revision
      guard contents.revision == revision - 1 else { return state.contents }
      return contents.applying(state.lastChange, revision: revision)
    }
  }

  func hasChanged(since revision: Int64) -> Bool { load().revision != revision }

  func update(_ changes: (KeyValueContents) -> KeyValueChanges) -> KeyValueContents { load() }

  func observe(_ handler: @escaping @Sendable () -> Void) -> KeyValueObservation {
    state.withLock { $0.handler = handler }
    return KeyValueObservation {}
  }

  func moveAside() -> String? { nil }
}
