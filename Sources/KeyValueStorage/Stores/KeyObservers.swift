import StorageInternals

/// The observers of a store, each of one key or of all.
struct KeyObservers: Sendable {
  typealias Handler = @Sendable (_ key: StoredKey, _ value: EncodedValue?) -> Void

  private var byKey: [StoredKey: [Int: Handler]] = [:]
  private var ofAll: [Int: Handler] = [:]
  private var last = 0
  /// Where the handlers run, in the order of the changes.
  let thread = SerialThread()

  var isEmpty: Bool { byKey.isEmpty && ofAll.isEmpty }

  /// Adds a handler for a key, or for all keys for nil, and returns its number.
  mutating func add(_ key: StoredKey?, _ handler: @escaping Handler) -> Int {
    last += 1
    if let key { byKey[key, default: [:]][last] = handler } else { ofAll[last] = handler }
    return last
  }

  /// Removes a handler, and returns it, to be released outside of the store's lock.
  mutating func remove(_ number: Int, of key: StoredKey?) -> Handler? {
    guard let key else { return ofAll.removeValue(forKey: number) }
    defer { if byKey[key]?.isEmpty ?? false { byKey[key] = nil } }
    return byKey[key]?.removeValue(forKey: number)
  }

  /// The keys, of those that are observed, which may have changed.
  func concerned(by before: StoreState, _ after: StoreState) -> Set<StoredKey> {
    var keys = Set(byKey.keys)
    if ofAll.isEmpty { return keys }
    keys.formUnion(before.unsaved.keys)
    keys.formUnion(after.unsaved.keys)
    keys.formUnion(KeyValueContents.keysThatDiffer(before.contents, after.contents))
    return keys
  }

  func announce(_ key: StoredKey, _ value: EncodedValue?) {
    let handlers = Array((byKey[key] ?? [:]).values) + Array(ofAll.values)
    thread.run {
      for handler in handlers { handler(key, value) }
    }
  }
}
