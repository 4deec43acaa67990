import Concurrency

/// A backend that stores keys and values in memory.
final class MemoryBackend: KeyValueBackend {
  let format = KeyValueFormat.json
  let name = "a store in memory"

  private let contents = Lock(empty, inForkedChild: { empty })

  private static let empty = KeyValueContents(entries: [], revision: 0)

  func load() -> KeyValueContents { contents.withLock { $0 } }

  func hasChanged(since revision: Int64) -> Bool { contents.withLock { $0.revision } != revision }

  func update(_ changes: (KeyValueContents) -> KeyValueChanges) -> KeyValueContents {
    // A store has only one writer at a time, and each store has its own memory backend.
    let current = load()
    let changed = current.applying(changes(current), revision: current.revision + 1)
    contents.withLock { $0 = changed }
    return changed
  }

  func observe(_ handler: @escaping @Sendable () -> Void) -> KeyValueObservation {
    KeyValueObservation {}
  }

  func moveAside() -> String? { nil }
}
