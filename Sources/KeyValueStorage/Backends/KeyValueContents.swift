import ValueFormats

/// A snapshot of all keys and encoded values of a store.
public struct KeyValueContents: Sendable {
  /// The keys and values, sorted by key, without duplicates; their positions are those in the file.
  ///
  /// They are in parts, so that changed contents share the unchanged parts with the old ones. There
  /// is at least one part, which is empty if there are no keys; no other part is empty. Those of a
  /// file keep the array of all its entries until each of them has been changed.
  private(set) var parts: [ArraySlice<KeyValueEntry>]
  /// The text of a file before and after the entries.
  private(set) var surroundings: FileSurroundings
  /// The position of the next new entry in the file, after all others.
  private var nextPosition: Int

  /// A number that distinguishes this snapshot from others of the same backend.
  public internal(set) var revision: Int64

  /// The number of entries in a new part; a part with twice as many is divided.
  private static let partSize = 128

  /// Creates a snapshot of the entries of a file, each of which has its position in the file.
  init(_ file: ParsedFile = ParsedFile(entries: []), revision: Int64) {
    var entries = file.entries
    // Many files are already sorted.
    let isSorted = zip(entries, entries.dropFirst()).allSatisfy { !($1.key < $0.key) }
    if !isSorted { entries.sort { $0.key < $1.key } }
    parts = stride(from: 0, to: max(entries.count, 1), by: Self.partSize).map {
      entries[$0...].prefix(Self.partSize)
    }
    // A copy of a slice at the end of an array would have the unused capacity of the array.
    parts.append(ArraySlice(Array(parts.removeLast())))
    surroundings = file.surroundings
    nextPosition = entries.count
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
    self.init(ParsedFile(entries: entries), revision: revision)
  }

  /// Whether there are no keys.
  public var isEmpty: Bool { parts[0].isEmpty }

  var entries: FlattenSequence<[ArraySlice<KeyValueEntry>]> { parts.joined() }

  /// The keys, sorted by their UTF-8 bytes.
  public var keys: [String] { entries.map(\.key.string) }

  /// The encoded value of a key, found by binary search; nil if there is none.
  public subscript(key: String) -> EncodedValue? { self[StoredKey(key)] }

  subscript(key: StoredKey) -> EncodedValue? {
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
    var new: [(key: StoredKey, value: EncodedValue)] = []
    var comments: [(position: Int, text: EncodedValue)] = []
    for (key, value) in changes.byKey {
      let (part, index, isFound) = place(of: key)
      if let value, isFound {
        parts[part][index].value = value
      } else if let value {
        new.append((key, value))
      } else if isFound {
        let removed = parts[part].remove(at: index)
        if let text = coding?.separateComments(in: removed), !text.isEmpty {
          comments.append((removed.position, text))
        }
        if parts[part].isEmpty, parts.count > 1 { parts.remove(at: part) }
      }
    }
    if !comments.isEmpty { insert(comments) }
    if new.count > 1 { new.sort { changes.isBefore($0.key, $1.key) } }
    for (key, value) in new {
      insert(
        coding?.entry(key, value, in: isEmpty ? surroundings.ofFirstEntry : surroundings)
          ?? KeyValueEntry(key: key, text: value, valueOffset: 0))
    }
    // The numbers of removed entries are not used again, but a write takes time for each number.
    if !new.isEmpty, nextPosition > 2 * parts.reduce(1000, { $0 + $1.count }) { renumber() }
  }

  private mutating func insert(_ entry: KeyValueEntry) {
    var entry = entry
    entry.position = nextPosition
    nextPosition += 1
    let (part, index, _) = place(of: entry.key)
    parts[part].insert(entry, at: index)
    if parts[part].count == 2 * Self.partSize {
      // Each half is copied, because slices would keep the other half's values.
      let halves = [parts[part].prefix(Self.partSize), parts[part].suffix(Self.partSize)]
      parts.replaceSubrange(part...part, with: halves.map { ArraySlice(Array($0)) })
    }
  }

  /// Inserts comments of removed entries, with their positions, before the next entry of the file.
  private mutating func insert(_ comments: [(position: Int, text: EncodedValue)]) {
    let places = parts.placesInFile
    // Many may have the same next entry, which is changed once.
    var byNext: [Int: [UInt8]] = [:]
    for (position, text) in comments.sorted(by: { $0.position < $1.position }) {
      let next = places.end { parts[$0.part][$0.index].position < position }
      byNext[next, default: []] += text
    }
    for (next, text) in byNext {
      if next < places.count {
        parts[places[next].part][places[next].index].insert(text, in: surroundings)
      } else {
        surroundings.insert(text)
      }
    }
  }

  private mutating func renumber() {
    let places = parts.placesInFile
    for (number, (part, index)) in places.enumerated() { parts[part][index].position = number }
    nextPosition = places.count
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
  /// The numbers of keys that new keys of a file are ordered by; the other ones come after them.
  var order: [StoredKey: Int] = [:]
  /// The app's bytes of the values that are in another layout in the file, changed or not.
  var encoded: [StoredKey: EncodedValue] = [:]
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

  /// Returns whether a file has a new key before another one.
  fileprivate func isBefore(_ first: StoredKey, _ second: StoredKey) -> Bool {
    if order.isEmpty { return first < second }
    return (order[first] ?? .max, first) < (order[second] ?? .max, second)
  }

  /// Sets a key to an encoded value; nil removes the key.
  public mutating func set(_ key: String, to value: EncodedValue?) {
    byKey.updateValue(value, forKey: StoredKey(key))
  }
}

/// The bytes of a value in a format, such as `0.8` or `{"name": "x"}` in JSON.
public typealias EncodedValue = ArraySlice<UInt8>
