import ValueFormats

/// The keys and values of a store, with changes that are not yet written.
public struct KeyValueDraft: Sendable {
  let stored: KeyValueContents
  let coding: any StoredFormat
  private var changes: [StoredKey: EncodedValue?] = [:]
  /// Whether the changes are discarded instead of written.
  var isAbandoned = false

  init(_ stored: KeyValueContents, coding: any StoredFormat) {
    self.stored = stored
    self.coding = coding
  }

  /// The keys that have a value, sorted by their UTF-8 bytes; without `$version`.
  public var keys: [String] { contents.keys.filter { $0 != SettingsVersion.key.string } }

  /// The contents with the changes.
  var contents: KeyValueContents {
    stored.applying(KeyValueChanges(byKey: changes), revision: stored.revision)
  }

  /// Returns the value of a key, as ``KeyValueStore/value(of:as:)`` does, but an error has no
  /// place.
  public func value<Value: Decodable>(
    of key: String, as type: Value.Type = Value.self
  ) throws -> Value? {
    try self[StoredKey(key)].map { try coding.value(type, from: $0, key: key) }
  }

  /// Sets the value of a key, or throws ``KeyValueStoreError/unencodable(key:type:reason:)``.
  public mutating func set(_ value: some Encodable, for key: String) throws {
    self[StoredKey(key)] = try coding.encode(value, key: key)
  }

  /// Removes a key; a missing key is not an error.
  public mutating func remove(_ key: String) { self[StoredKey(key)] = nil }

  /// Moves the value of a key, if there is one, to another key, and replaces the value there.
  public mutating func rename(_ key: String, to newKey: String) {
    guard key != newKey, let value = self[StoredKey(key)] else { return }
    self[StoredKey(newKey)] = value
    remove(key)
  }

  subscript(key: StoredKey) -> EncodedValue? {
    get {
      if let change = changes[key] { return change }
      return stored[key]
    }
    set { changes.updateValue(newValue, forKey: key) }
  }

  mutating func add(_ unsaved: StoreState.UnsavedChanges) {
    // A dictionary with the same keys is made without hashing them.
    let unsaved = unsaved.mapValues(\.value)
    if changes.isEmpty { changes = unsaved } else { changes.merge(unsaved) { $1 } }
  }

  /// The changes whose values differ from the stored ones.
  var effectiveChanges: KeyValueChanges {
    let effective = changes.filter { key, value in stored[key] != value }
    return KeyValueChanges(byKey: effective, confirmsStoredValues: effective.count < changes.count)
  }
}
