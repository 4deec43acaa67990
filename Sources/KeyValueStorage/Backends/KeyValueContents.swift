import ValueFormats

/// A snapshot of all keys and encoded values of a store.
///
/// A snapshot that ``applying(_:revision:)`` returns shares memory with the original: a change
/// copies at most 512 entries, and one reference for each 256 keys. Comparing it with the original
/// looks at the copied entries only.
public struct KeyValueContents: Sendable {
  /// A number that distinguishes this snapshot from others of the same backend, and is higher than
  /// those of older contents.
  public let revision: Int64

  /// Whether the store has migrated this snapshot, which then differs from that of the backend.
  var isMigrated = false

  /// The entries, sorted by key, without duplicates.
  ///
  /// There is at least one chunk; only the first one may be empty, if it is the only one.
  private(set) var chunks: [ArraySlice<KeyValueEntry>]

  /// The size of a new chunk; a chunk is split when it exceeds twice this size.
  private static let chunkSize = 256

  /// The layers around these values, which are those of the writable layer; nil for a plain store.
  var layers: LayerStack?

  /// Creates a snapshot of a backend's values.
  ///
  /// - Parameters:
  ///   - values: The keys and encoded values in any order; the last value of a key is used.
  ///   - revision: A number that distinguishes this snapshot from others.
  public init(_ values: some Sequence<(key: String, value: EncodedValue)>, revision: Int64) {
    var byKey: [StoredKey: EncodedValue] = [:]
    for (key, value) in values { byKey[StoredKey(key)] = value }
    let entries = byKey.map { KeyValueEntry(key: $0, text: $1, valueOffset: 0) }
    self.init(entries: entries.sorted { $0.key < $1.key }, revision: revision)
  }

  /// Creates a snapshot of entries that are sorted by key, without duplicates.
  init(entries: [KeyValueEntry], revision: Int64) {
    // The chunks share the array; a change copies only one of them.
    chunks = stride(from: 0, to: max(1, entries.count), by: Self.chunkSize).map { start in
      entries[start..<min(start + Self.chunkSize, entries.count)]
    }
    self.revision = revision
  }

  /// Whether there are no keys.
  public var isEmpty: Bool { chunks[0].isEmpty }

  /// The number of keys.
  public var count: Int { layers == nil ? chunks.reduce(0) { $0 + $1.count } : keys.count }

  /// The keys, sorted by their UTF-8 bytes.
  public var keys: [String] {
    guard let layers else { return chunks.flatMap { $0.map(\.key.string) } }
    return Set(layers.keys + entries.map(\.key)).sorted().map(\.string)
  }

  var entries: [KeyValueEntry] {
    var entries: [KeyValueEntry] = []
    entries.reserveCapacity(chunks.reduce(0) { $0 + $1.count })
    for chunk in chunks { entries += chunk }
    return entries
  }

  /// The encoded value of a key; nil if there is none.
  ///
  /// - Complexity: O(log *n*), where *n* is the number of keys.
  public subscript(key: String) -> EncodedValue? { self[StoredKey(key)] }

  subscript(key: StoredKey) -> EncodedValue? {
    let (chunk, index, isFound) = position(of: key)
    let value = isFound ? chunks[chunk][index].value : nil
    guard let layers else { return value }
    return layers.value(of: key, writable: value)
  }

  /// Returns the value of a key after a change, which is a removal if it is nil.
  func value(of key: StoredKey, changedTo change: EncodedValue?) -> EncodedValue? {
    guard let layers else { return change }
    return layers.value(of: key, writable: change.flatMap(layers.format.writableValue))
  }

  /// The contents without other layers.
  var writable: KeyValueContents {
    var contents = self
    contents.layers = layers?.hidingOthers
    return contents
  }

  /// Whether there are no values in any layer of a file.
  var hasNoValues: Bool { isEmpty && layers?.isEmpty ?? true }

  /// Whether the contents, or those of a layer, have become empty since earlier ones.
  func hasEmptied(since earlier: KeyValueContents?) -> Bool {
    guard let earlier else { return false }
    return isEmpty && !earlier.isEmpty || layers?.hasEmptied(since: earlier.layers) ?? false
  }

  /// Returns the contents with changes applied.
  public func applying(_ changes: KeyValueChanges, revision: Int64) -> KeyValueContents {
    var result = KeyValueContents(chunks: chunks, revision: revision)
    result.layers = layers
    result.apply(changes) { key, value in
      let value = layers?.format.writableValue(in: value) ?? value
      return KeyValueEntry(key: key, text: value, valueOffset: 0)
    }
    return result
  }

  /// Creates a snapshot with the entries of another one.
  init(chunks: [ArraySlice<KeyValueEntry>], revision: Int64) {
    self.chunks = chunks
    self.revision = revision
  }

  /// Applies changes, with a closure that creates entries in the file's format.
  mutating func apply(
    _ changes: KeyValueChanges, makingEntry entry: (StoredKey, EncodedValue) -> KeyValueEntry
  ) {
    for (key, value) in changes.byKey { set(key, to: value.map { entry(key, $0) }) }
  }

  private mutating func set(_ key: StoredKey, to entry: KeyValueEntry?) {
    let (chunk, index, isFound) = position(of: key)
    if let entry, isFound {
      chunks[chunk][index] = chunks[chunk][index].with(entry)
    } else if let entry {
      chunks[chunk].insert(entry, at: index)
      if chunks[chunk].count > 2 * Self.chunkSize { split(chunk) }
    } else if isFound {
      chunks[chunk].remove(at: index)
      if chunks[chunk].isEmpty, chunks.count > 1 { chunks.remove(at: chunk) }
    }
  }

  private mutating func split(_ chunk: Int) {
    let middle = chunks[chunk].startIndex + Self.chunkSize
    chunks.insert(chunks[chunk][middle...], at: chunk + 1)
    chunks[chunk] = chunks[chunk][..<middle]
  }

  /// Returns the position of a key, or the position at which to insert it.
  private func position(of key: StoredKey) -> (chunk: Int, index: Int, isFound: Bool) {
    // The last chunk that does not begin after the key.
    var (first, last) = (0, chunks.count - 1)
    while first < last {
      let middle = (first + last + 1) / 2
      if key < chunks[middle][chunks[middle].startIndex].key {
        last = middle - 1
      } else {
        first = middle
      }
    }
    let chunk = chunks[first]
    var (low, high) = (chunk.startIndex, chunk.endIndex)
    while low < high {
      let middle = (low + high) / 2
      if chunk[middle].key < key { low = middle + 1 } else { high = middle }
    }
    return (first, low, low < chunk.endIndex && chunk[low].key == key)
  }
}

extension KeyValueContents {
  /// Returns the keys whose values differ between two snapshots, perhaps repeatedly.
  static func changedKeys(_ first: KeyValueContents?, _ second: KeyValueContents?) -> [StoredKey] {
    if let first, let second, first.revision == second.revision { return [] }
    let inLayers = LayerStack.changedKeys(first?.layers, second?.layers)
    var (first, second) = (Remainder(first), Remainder(second))
    var result: [StoredKey] = []
    while true {
      first.skipSharedChunks(with: &second)
      switch (first.key, second.key) {
      case (nil, nil): return result + inLayers
      case (let key?, let other?) where key == other:
        if first.removeFirst().value != second.removeFirst().value { result.append(key) }
      case (let key?, let other?) where other < key: result.append(second.removeFirst().key)
      case (nil, _): result.append(second.removeFirst().key)
      default: result.append(first.removeFirst().key)
      }
    }
  }

  /// The entries of a snapshot that have not been compared.
  private struct Remainder {
    private var chunk: ArraySlice<KeyValueEntry>
    private var laterChunks: ArraySlice<ArraySlice<KeyValueEntry>>

    init(_ contents: KeyValueContents?) {
      chunk = contents?.chunks[0] ?? []
      laterChunks = contents?.chunks.dropFirst() ?? []
    }

    var key: StoredKey? { chunk.first?.key }

    mutating func removeFirst() -> KeyValueEntry {
      defer { if chunk.isEmpty { skipChunk() } }
      return chunk.removeFirst()
    }

    private mutating func skipChunk() { chunk = laterChunks.popFirst() ?? [] }

    /// Skips entries that are in the same memory in both snapshots, and are therefore equal.
    mutating func skipSharedChunks(with other: inout Remainder) {
      while !chunk.isEmpty, chunk.span.isIdentical(to: other.chunk.span) {
        skipChunk()
        other.skipChunk()
      }
    }
  }
}

/// A set of changes to apply together: values to set and keys to remove.
public struct KeyValueChanges: Sendable {
  /// The new value of each key; nil for removal.
  private(set) var byKey: [StoredKey: EncodedValue?] = [:]

  /// Creates an empty set of changes.
  public init() {}

  init(_ byKey: [StoredKey: EncodedValue?]) { self.byKey = byKey }

  /// The number of keys to set or remove.
  public var count: Int { byKey.count }

  /// Whether there are no changes.
  public var isEmpty: Bool { byKey.isEmpty }

  /// The changed keys in no particular order, each with its new encoded value, or nil for removal.
  public var all: [(key: String, value: EncodedValue?)] { byKey.map { ($0.key.string, $0.value) } }

  /// Sets a key to an encoded value; nil removes the key.
  public mutating func set(_ key: String, to value: EncodedValue?) {
    self[StoredKey(key)] = .some(value)
  }

  /// The change of a key: a value, `.some(nil)` for removal, or nil for no change.
  subscript(key: StoredKey) -> EncodedValue?? {
    get { byKey[key] }
    set { if let newValue { byKey.updateValue(newValue, forKey: key) } else { byKey[key] = nil } }
  }
}

/// The bytes of a value in a format, such as `0.8` or `{"name": "x"}` in JSON.
public typealias EncodedValue = ArraySlice<UInt8>
