/// Values to be set and keys to be removed, all at once.
public struct KeyValueChanges: Sendable {
  /// By key; nil is to be removed.
  private(set) var byKey: [StoredKey: EncodedValue?] = [:]

  /// Makes no changes.
  public init() {}

  init(_ byKey: [StoredKey: EncodedValue?]) {
    self.byKey = byKey
  }

  /// How many keys are to be set or removed.
  public var count: Int { byKey.count }

  /// Whether there is nothing to do.
  public var isEmpty: Bool { byKey.isEmpty }

  /// The keys in no particular order, each with the new encoded value, or nil for its removal.
  public var all: [(key: String, value: EncodedValue?)] {
    byKey.map { ($0.key.string, $0.value) }
  }

  /// Has a key set to an encoded value, or removed for nil.
  public mutating func set(_ key: String, to value: EncodedValue?) {
    self[StoredKey(key)] = .some(value)
  }

  /// What is to become of a key: a value, nil for its removal, or nothing at all.
  subscript(key: StoredKey) -> EncodedValue?? {
    get { byKey[key] }
    set {
      if let newValue { byKey.updateValue(newValue, forKey: key) } else { byKey[key] = nil }
    }
  }
}
