@testable import KeyValueStorage

/// A backend whose changes are not observed, so that no thread of a store uses it in the
/// background, with hooks at each read and write, and without a limit for the lock of a file.
struct HookedBackend: KeyValueBackend {
  let base: any KeyValueBackend
  var willLoad: @Sendable () throws(KeyValueStoreError) -> Void = {}
  var willWrite: @Sendable (KeyValueChanges) throws(KeyValueStoreError) -> Void = { _ in }
  /// Called when the base has written, and the store does not know it yet.
  var didWrite: @Sendable () -> Void = {}
  /// Gets the handler of an observation, which nothing else calls.
  var didObserve: @Sendable (@escaping @Sendable () -> Void) -> Void = { _ in }

  var format: KeyValueFormat { base.format }
  var name: String { base.name }

  func load() throws(KeyValueStoreError) -> KeyValueContents {
    try willLoad()
    return try base.load()
  }

  func hasChanged(since revision: Int64) throws(KeyValueStoreError) -> Bool {
    try base.hasChanged(since: revision)
  }

  func update<Result>(
    within timeout: Duration?,
    _ changes: (KeyValueContents) throws(KeyValueStoreError) -> (KeyValueChanges, Result)
  ) throws(KeyValueStoreError) -> (KeyValueContents, Result) {
    defer { didWrite() }
    return try base.update(within: .seconds(100_000)) { contents throws(KeyValueStoreError) in
      let (changes, result) = try changes(contents)
      try willWrite(changes)
      return (changes, result)
    }
  }

  func observe(_ handler: @escaping @Sendable () -> Void) -> KeyValueObservation {
    didObserve(handler)
    return KeyValueObservation {}
  }

  func moveAside(within timeout: Duration?) throws(KeyValueStoreError) -> String? {
    try base.moveAside(within: timeout)
  }
}
