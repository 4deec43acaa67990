import ValueFormats

/// The keys and values of a store, with changes that are not yet written.
public struct KeyValueDraft: Sendable {
  let stored: KeyValueContents
  let coding: any StoredFormat
  /// The backend of the stored contents, in which the places of mistakes are found.
  private let backend: any KeyValueBackend
  private var changes: [StoredKey: EncodedValue?] = [:]
  /// The keys with a value that was moved there, which keeps its bytes.
  private var moved: Set<StoredKey> = []
  /// Whether the changes are discarded instead of written.
  var isAbandoned = false

  init(_ stored: KeyValueContents, of backend: any KeyValueBackend, _ coding: any StoredFormat) {
    self.stored = stored
    self.backend = backend
    self.coding = coding
  }

  /// The keys that have a value, sorted by their UTF-8 bytes; without `$version`.
  public var keys: [String] { contents.keys.filter { $0 != SettingsVersion.key.string } }

  /// The contents with the changes.
  var contents: KeyValueContents {
    stored.applying(KeyValueChanges(byKey: changes), revision: stored.revision)
  }

  /// Returns the value of a key, as ``KeyValueStore/value(of:as:)`` does.
  ///
  /// The error of a value that is not the stored one has the path of the file without a line.
  public func value<Value: Decodable>(
    of key: String, as type: Value.Type = Value.self
  ) throws -> Value? {
    try storedValue(of: StoredKey(key), as: type)
  }

  func storedValue<Value: Decodable>(
    of key: StoredKey, as type: Value.Type
  ) throws(KeyValueStoreError) -> Value? {
    guard let encoded = self[key] else { return nil }
    do throws(DecodingFailure) {
      return try coding.decoded(type, from: encoded, key: key.string)
    } catch {
      throw backend.errors(for: [error])[0]
    }
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
    let isEncoded = changes[StoredKey(key)] != nil && !moved.contains(StoredKey(key))
    self[StoredKey(newKey)] = value
    if !isEncoded { moved.insert(StoredKey(newKey)) }
    remove(key)
  }

  subscript(key: StoredKey) -> EncodedValue? {
    get {
      if let change = changes[key] { return change }
      return stored[key]
    }
    set {
      changes.updateValue(newValue, forKey: key)
      if !moved.isEmpty { moved.remove(key) }
    }
  }

  mutating func add(_ unsaved: StoreState.UnsavedChanges) {
    // A dictionary with the same keys is made without hashing them.
    let unsaved = unsaved.mapValues(\.value)
    if changes.isEmpty { changes = unsaved } else { changes.merge(unsaved) { $1 } }
    if !moved.isEmpty { moved.subtract(unsaved.keys) }
  }

  /// The changes whose values differ from the stored ones in the layout of the file, which those
  /// have that the app has encoded.
  var effectiveChanges: KeyValueChanges {
    var effective = changes.filter { key, value in stored[key] != value }
    var encoded: [StoredKey: EncodedValue] = [:]
    for case (let key, let value?) in effective where !moved.contains(key) {
      let arranged = coding.value(value, in: stored.surroundings)
      if arranged == value { continue }
      encoded[key] = value
      if arranged == stored[key] {
        effective.removeValue(forKey: key)
      } else {
        effective.updateValue(arranged, forKey: key)
      }
    }
    var result = KeyValueChanges(
      byKey: effective, confirmsStoredValues: effective.count < changes.count)
    result.encoded = encoded
    return result
  }
}
