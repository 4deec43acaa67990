/// The keys of a store while they are being changed, before any of it is written.
public struct KeyValueDraft: Sendable {
  private let contents: KeyValueContents
  private let format: any StoredFormat
  private(set) var changes = KeyValueChanges()

  init(_ contents: KeyValueContents, format: any StoredFormat) {
    self.contents = contents
    self.format = format
  }

  /// The keys that have a value, sorted by their bytes in UTF-8; without `$version`.
  public var keys: [String] { allKeys.filter { $0 != SettingsVersion.key.string } }

  var allKeys: [String] {
    contents.applying(changes, revision: contents.revision).keys
  }

  /// The value of a key; nil if there is none.
  ///
  /// - Throws: ``KeyValueStoreError/undecodable(key:type:reason:)`` when it is of another type.
  public func value<Value: Decodable>(
    of key: String, as type: Value.Type = Value.self
  ) throws(KeyValueStoreError) -> Value? {
    guard let value = self[StoredKey(key)] else { return nil }
    return try format.value(type, from: value, key: key)
  }

  /// Sets a key.
  ///
  /// - Throws: ``KeyValueStoreError/unencodable(key:type:reason:)``.
  public mutating func set(
    _ value: some Encodable, for key: String
  ) throws(KeyValueStoreError) {
    self[StoredKey(key)] = ArraySlice(try format.bytes(of: value, key: key))
  }

  /// Removes a key; that there is none is a success.
  public mutating func remove(_ key: String) {
    self[StoredKey(key)] = nil
  }

  /// Gives a value another key, replacing that one's value; without a value, does nothing.
  public mutating func rename(_ key: String, to newKey: String) {
    guard key != newKey, let value = self[StoredKey(key)] else { return }
    self[StoredKey(newKey)] = value
    remove(key)
  }

  subscript(key: StoredKey) -> EncodedValue? {
    get {
      if let change = changes[key] { return change }
      return contents[key]
    }
    set { changes[key] = .some(newValue) }
  }

  /// Puts changes in that are not written yet.
  mutating func take(_ unsaved: [StoredKey: StoreState.Unsaved]) {
    if changes.isEmpty {
      changes = KeyValueChanges(unsaved.mapValues(\.value))
    } else {
      for (key, value) in unsaved { self[key] = value.value }
    }
  }

  var isEmpty: Bool {
    if changes.isEmpty { return contents.isEmpty }
    return contents.applying(changes, revision: contents.revision).isEmpty
  }

  /// The changes without those that change nothing.
  var necessaryChanges: KeyValueChanges {
    // Most often it is all of them, which then need not be copied.
    if changes.byKey.allSatisfy({ contents[$0] != $1 }) { return changes }
    var result = KeyValueChanges()
    for (key, value) in changes.byKey where contents[key] != value {
      result[key] = .some(value)
    }
    return result
  }
}
