import Concurrency
import KeyValueStorage

// Violations in the contents that the backend reads and writes.
extension NonconformingBackend {
  func load(updating contents: KeyValueContents) throws(KeyValueStoreError) -> KeyValueContents {
    let newest = try load()
    let known: KeyValueContents
    switch violation {
    case .forgetsRemovals: known = newest
    // Knows the last change only.
    case .skipsChanges: known = server.state.withLock { $0.previous }
    default: return newest
    }
    var changes = KeyValueChanges()
    for key in newest.keys where violation == .forgetsRemovals || known[key] != newest[key] {
      changes.set(key, to: newest[key])
    }
    for key in known.keys where newest[key] == nil { changes.set(key, to: nil) }
    return contents.applying(changes, revision: newest.revision)
  }

  func altered(_ changes: KeyValueChanges) -> KeyValueChanges {
    var result = KeyValueChanges()
    for (key, value) in changes.all {
      switch violation {
      case .trimsValues: result.set(key, to: value.map { ArraySlice($0.prefix(10_000)) })
      case .trimsKeys: result.set(String(key.prefix { $0 != "\0" }), to: value)
      case .normalizesKeys where key == "caf\u{e9}": result.set("caf\u{e9}", to: value)
      default: result.set(key, to: value)
      }
    }
    return result
  }

  func limited(_ contents: KeyValueContents) -> KeyValueContents {
    guard violation == .losesKeysOverAThousand else { return contents }
    var changes = KeyValueChanges()
    for key in contents.keys.dropFirst(1000) { changes.set(key, to: nil) }
    return contents.applying(changes, revision: contents.revision)
  }
}
