import ValueFormats

/// The keys and values of a store, with changes that are not yet written.
public struct KeyValueDraft: Sendable {
  private(set) var contents: KeyValueContents
  let format: any StoredFormat
  let backend: any KeyValueBackend
  private(set) var changes = KeyValueChanges()

  init(_ contents: KeyValueContents, of store: KeyValueStore) {
    self.contents = contents
    format = store.format
    backend = store.backend
  }

  /// The keys that have a value, sorted by their UTF-8 bytes; without `$version`.
  public var keys: [String] { allKeys.filter { $0 != SettingsVersion.key.string } }

  var allKeys: [String] { contents.applying(changes, revision: contents.revision).keys }

  /// Returns the value of a key; nil if there is none.
  ///
  /// - Throws: ``KeyValueStoreError/undecodable(_:)``, if the value has another type.
  public func value<Value: Decodable>(
    of key: String, as type: Value.Type = Value.self
  ) throws -> Value? {
    guard let value = self[StoredKey(key)] else { return nil }
    return try decode(type, from: value, key: key)
  }

  func decode<Value: Decodable>(
    _ type: Value.Type, from value: EncodedValue, key: String
  ) throws(KeyValueStoreError) -> Value {
    do throws(DecodingFailure) {
      return try format.value(type, from: value)
    } catch {
      throw backend.undecodable(error, value, of: StoredKey(key))
    }
  }

  /// Sets the value of a key.
  ///
  /// - Throws: ``KeyValueStoreError/unencodable(key:type:reason:)``, if it cannot be encoded.
  public mutating func set(_ value: some Encodable, for key: String) throws {
    self[StoredKey(key)] = ArraySlice(try format.bytes(of: value, key: key))
  }

  /// Removes a key; a missing key is not an error.
  public mutating func remove(_ key: String) { self[StoredKey(key)] = nil }

  /// Moves the value of a key to another key, whose value it replaces; does nothing if there is no
  /// value.
  public mutating func rename(_ key: String, to newKey: String) {
    guard key != newKey, let value = self[StoredKey(key)] else { return }
    self[StoredKey(newKey)] = value
    remove(key)
  }

  subscript(key: StoredKey) -> EncodedValue? {
    get {
      if let change = changes[key] { return contents.value(of: key, changedTo: change) }
      return contents[key]
    }
    set { changes[key] = .some(newValue) }
  }

  /// Adds unsaved changes of the store.
  mutating func add(_ unsaved: [StoredKey: StoreState.Unsaved]) {
    // Copying a dictionary as a whole is several times as fast as inserting its keys.
    if changes.isEmpty { return changes = KeyValueChanges(unsaved.mapValues(\.value)) }
    for (key, change) in unsaved { self[key] = change.value }
  }

  var isEmpty: Bool {
    if changes.isEmpty { return contents.isEmpty }
    if changes.byKey.values.contains(where: { $0 != nil }) { return false }
    return changes.byKey.keys.count { contents[$0] != nil } == contents.count
  }

  /// The draft without other layers than the writable one, to which versions and migrations apply.
  var writable: KeyValueDraft {
    get {
      var draft = self
      draft.contents = contents.writable
      return draft
    }
    set { changes = newValue.changes }
  }

  /// The changes whose values differ from the stored ones.
  var effectiveChanges: KeyValueChanges {
    let contents = contents.writable
    let isEffective = { (key: StoredKey, change: EncodedValue?) in
      contents[key] != contents.value(of: key, changedTo: change)
    }
    // Usually, these are all changes, which then need not be copied.
    if changes.byKey.allSatisfy(isEffective) { return changes }
    return KeyValueChanges(changes.byKey.filter(isEffective))
  }
}
