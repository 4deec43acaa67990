import ValueFormats

/// A snapshot of all keys and encoded values of a store.
public struct KeyValueContents: Sendable {
  /// The keys and values, sorted by key, without duplicates.
  ///
  /// They are in parts, so that changed contents share the unchanged parts with the old ones. There
  /// is at least one part, which is empty if there are no keys; no other part is empty.
  private(set) var parts: [ArraySlice<KeyValueEntry>]
  /// The text of a file before and after the entries.
  let surroundings: FileSurroundings

  /// A number that distinguishes this snapshot from others of the same backend.
  public internal(set) var revision: Int64

  /// The other layers of a store with layers, which complete the values of these contents.
  var overlay: LayerOverlay?

  /// The number of entries in a new part; a part with twice as many is divided.
  private static let partSize = 128

  /// Creates a snapshot of the sorted entries of a file.
  init(_ file: ParsedFile = ParsedFile(entries: []), revision: Int64) {
    parts = stride(from: 0, to: max(file.entries.count, 1), by: Self.partSize).map {
      file.entries[$0...].prefix(Self.partSize)
    }
    surroundings = file.surroundings
    self.revision = revision
  }
}

extension KeyValueContents {
  /// Creates a snapshot of keys and encoded values in any order; the last value of a key is used.
  public init(_ values: some Sequence<(key: String, value: EncodedValue)>, revision: Int64) {
    var changes = KeyValueChanges()
    for (key, value) in values { changes.set(key, to: value) }
    let entries = changes.byKey.compactMap { key, value in
      value.map { KeyValueEntry(key: key, text: $0, valueOffset: 0) }
    }
    self.init(ParsedFile(entries: entries.sorted { $0.key < $1.key }), revision: revision)
  }

  /// Whether there are no keys; options and variables of layers do not count.
  public var isEmpty: Bool {
    parts[0].isEmpty && (overlay == nil || files.allSatisfy(\.isEmpty))
  }

  var entries: FlattenSequence<[ArraySlice<KeyValueEntry>]> { parts.joined() }

  /// The keys, sorted by their UTF-8 bytes.
  public var keys: [String] {
    if overlay == nil { return entries.map(\.key.string) }
    return Set(files.flatMap { $0.entries.map(\.key) }).sorted().map(\.string)
  }

  /// The encoded value of a key, found by binary search; nil if there is none.
  public subscript(key: String) -> EncodedValue? { self[StoredKey(key)] }

  subscript(key: StoredKey) -> EncodedValue? {
    overlay.map { $0.value(of: key, own: own(key)) } ?? own(key)
  }

  /// Returns the value of a key without those of other layers.
  func own(_ key: StoredKey) -> EncodedValue? {
    let (part, index, isFound) = place(of: key)
    return isFound ? parts[part][index].value : nil
  }

  /// Returns the contents with changes applied, as a snapshot with the given revision.
  public func applying(_ changes: KeyValueChanges, revision: Int64) -> KeyValueContents {
    var result = self
    result.revision = revision
    result.apply(changes)
    return result
  }

  /// Applies changes; `coding` is the format of the file, or nil for contents in memory.
  mutating func apply(_ changes: KeyValueChanges, in coding: (any StoredFormat)? = nil) {
    for (key, value) in changes.byKey {
      let (part, index, isFound) = place(of: key)
      if let value, isFound {
        parts[part][index].value = value
      } else if let value {
        let entry =
          coding?.entry(key, value) ?? KeyValueEntry(key: key, text: value, valueOffset: 0)
        parts[part].insert(entry, at: index)
        if parts[part].count == 2 * Self.partSize {
          parts.insert(parts[part].suffix(Self.partSize), at: part + 1)
          parts[part].removeLast(Self.partSize)
        }
      } else if isFound {
        parts[part].remove(at: index)
        if parts[part].isEmpty, parts.count > 1 { parts.remove(at: part) }
      }
    }
  }

  /// Returns the place of a key, or the one at which it would be inserted.
  private func place(of key: StoredKey) -> (part: Int, index: Int, isFound: Bool) {
    let part = parts.dropFirst().end { $0[$0.startIndex].key <= key } - 1
    let index = parts[part].end { $0.key < key }
    return (part, index, index < parts[part].endIndex && parts[part][index].key == key)
  }
}

extension RandomAccessCollection where Index == Int {
  /// Returns the end of the leading elements that satisfy a condition, by binary search.
  fileprivate func end(where condition: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if condition(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
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
