import ValueFormats

/// Changes that are made together: values to set and keys to remove.
public struct KeyValueChanges: Sendable {
  /// The new value of each key; nil for removal.
  private(set) var byKey: [StoredKey: EncodedValue?] = [:]

  /// Creates a value without changes.
  public init() {}

  init(_ byKey: [StoredKey: EncodedValue?]) {
    self.byKey = byKey
  }

  /// The number of keys to set or remove.
  public var count: Int { byKey.count }

  /// Whether there are no changes.
  public var isEmpty: Bool { byKey.isEmpty }

  /// The changed keys in no particular order, each with its new encoded value, or nil for removal.
  public var all: [(key: String, value: EncodedValue?)] {
    byKey.map { ($0.key.string, $0.value) }
  }

  /// Sets a key to an encoded value; nil removes the key.
  public mutating func set(_ key: String, to value: EncodedValue?) {
    self[StoredKey(key)] = .some(value)
  }

  /// The change of a key: a value, `.some(nil)` for removal, or nil for no change.
  subscript(key: StoredKey) -> EncodedValue?? {
    get { byKey[key] }
    set {
      if let newValue { byKey.updateValue(newValue, forKey: key) } else { byKey[key] = nil }
    }
  }
}
