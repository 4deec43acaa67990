import ValueFormats

/// A snapshot of all keys and encoded values of a store.
public struct KeyValueContents: Sendable {
  /// The keys and values, sorted by key, without duplicates.
  private(set) var entries: [KeyValueEntry]

  /// A number that distinguishes this snapshot from others of the same backend.
  public let revision: Int64
}

extension KeyValueContents {
  /// Creates a snapshot of keys and encoded values in any order; the last value of a key is used.
  public init(_ values: some Sequence<(key: String, value: EncodedValue)>, revision: Int64) {
    var changes = KeyValueChanges()
    for (key, value) in values { changes.set(key, to: value) }
    self = KeyValueContents(entries: [], revision: revision).applying(changes, revision: revision)
  }

  /// Whether there are no keys.
  public var isEmpty: Bool { entries.isEmpty }

  /// The keys, sorted by their UTF-8 bytes.
  public var keys: [String] { entries.map(\.key.string) }

  /// The encoded value of a key, found by binary search; nil if there is none.
  public subscript(key: String) -> EncodedValue? { self[StoredKey(key)] }

  subscript(key: StoredKey) -> EncodedValue? {
    guard let index = index(of: key) else { return nil }
    return entries[index].value
  }

  /// Returns the contents with changes applied, as a snapshot with the given revision.
  public func applying(_ changes: KeyValueChanges, revision: Int64) -> KeyValueContents {
    var result = KeyValueContents(entries: entries, revision: revision)
    result.apply(changes)
    return result
  }

  /// Applies changes; `coding` is the format of the file, or nil for contents in memory.
  mutating func apply(_ changes: KeyValueChanges, in coding: (any StoredFormat)? = nil) {
    var (added, removed): ([KeyValueEntry], Set<StoredKey>) = ([], [])
    for (key, value) in changes.byKey {
      let index = index(of: key)
      if let value, let index {
        entries[index].value = value
      } else if let value {
        added.append(
          coding?.entry(key, value) ?? KeyValueEntry(key: key, text: value, valueOffset: 0))
      } else if index != nil {
        removed.insert(key)
      }
    }
    if !removed.isEmpty { entries.removeAll { removed.contains($0.key) } }
    if added.isEmpty { return }
    // Both parts are sorted, so the sort only merges them.
    entries += added.sorted { $0.key < $1.key }
    entries.sort { $0.key < $1.key }
  }

  private func index(of key: StoredKey) -> Int? {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].key < key { low = middle + 1 } else { high = middle }
    }
    return low < entries.count && entries[low].key == key ? low : nil
  }
}

/// A set of changes to apply together: values to set and keys to remove.
public struct KeyValueChanges: Sendable {
  /// The new value of each key; nil for removal.
  private(set) var byKey: [StoredKey: EncodedValue?]
  /// Whether stored values were set again, so that they must become durable like the changes.
  private(set) var confirmsStoredValues = false
}

extension KeyValueChanges {
  /// Creates an empty set of changes.
  public init() { self.init(byKey: [:]) }

  /// The number of keys to set or remove.
  public var count: Int { byKey.count }

  /// Whether there are no changes.
  public var isEmpty: Bool { byKey.isEmpty }

  /// The changed keys in no particular order, each with its new encoded value, or nil for removal.
  public var all: [(key: String, value: EncodedValue?)] { byKey.map { ($0.key.string, $0.value) } }

  /// Sets a key to an encoded value; nil removes the key.
  public mutating func set(_ key: String, to value: EncodedValue?) {
    byKey.updateValue(value, forKey: StoredKey(key))
  }
}

/// The bytes of a value in a format, such as `0.8` or `{"name": "x"}` in JSON.
public typealias EncodedValue = ArraySlice<UInt8>
