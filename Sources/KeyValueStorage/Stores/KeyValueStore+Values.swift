import StorageInternals

extension KeyValueStore {
  /// The keys that have a value, sorted by their bytes in UTF-8.
  ///
  /// - Throws: Why the newest keys are not known.
  public func keys() throws(KeyValueStoreError) -> [String] {
    try load()
    let draft = state.withLock { state in
      if let transaction = state.transaction.ofThisThread { return transaction.draft }
      var draft = KeyValueDraft(
        state.contents ?? KeyValueContents(entries: [], revision: 0), format: format)
      draft.take(state.unsaved)
      return draft
    }
    // With a version, the key is the store's own.
    return version.number == 0 ? draft.allKeys : draft.keys
  }

  /// The value of a key, for keys that are not known before; nil if there is none.
  ///
  /// - Throws: Why the newest values are not known, or
  ///   ``KeyValueStoreError/undecodable(key:type:reason:)`` when it is of another type.
  public func value<Value: Decodable>(
    of key: String, as type: Value.Type = Value.self
  ) throws(KeyValueStoreError) -> Value? {
    try load()
    guard let value = state.withLock({ $0.visible(StoredKey(key)) }) else { return nil }
    return try format.value(type, from: value, key: key)
  }

  /// Sets a key that is not known before; the value is on disk when this returns.
  ///
  /// In a ``transaction(_:)``, it is a part of that, and on disk at its end.
  ///
  /// - Throws: Why the value cannot be encoded or written; nothing is changed then.
  public func set(_ value: some Encodable, for key: String) throws(KeyValueStoreError) {
    try save(StoredKey(key), ArraySlice(try format.bytes(of: value, key: key)))
  }

  /// Removes a key, as ``set(_:for:)`` sets one; that there is none is a success.
  ///
  /// - Throws: Why the store cannot be written; nothing is changed then.
  public func remove(_ key: String) throws(KeyValueStoreError) {
    try save(StoredKey(key), nil)
  }
}
