/// Reads the entries of a dictionary.
///
/// A key in a spelling that the dictionary does not have means the entry whose key is equal as
/// text.
struct KeyedTreeReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let entries: [StoredKey: ValueTree]
  private let reader: TreeReader

  init(_ entries: [StoredKey: ValueTree], of reader: TreeReader) {
    self.entries = entries
    self.reader = reader
  }

  var codingPath: [any CodingKey] { reader.codingPath }

  var allKeys: [Key] {
    // Of keys that are equal as text, a `Dictionary` keeps the last one: always the same.
    let keys = entries.keys.allSatisfy(\.isASCII) ? Array(entries.keys) : entries.keys.sorted()
    return keys.compactMap { Key(stringValue: $0.string) }
  }

  func contains(_ key: Key) -> Bool { entry(key) != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try tree(key).isNull }

  func decode<Scalar: StoredScalar>(_ type: Scalar.Type, forKey key: Key) throws -> Scalar {
    try tree(key).scalar(type, at: place(of: key))
  }

  // The standard library would take its own method for these, which refuses them.
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
    try tree(key).scalar(type, at: place(of: key))
  }

  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
    try tree(key).scalar(type, at: place(of: key))
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try value(of: type, from: tree(key), forKey: key)
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    guard let tree = entry(key), !tree.isNull else { return nil }
    return try value(of: type, from: tree.unwrapped, forKey: key)
  }

  private func value<Value: Decodable>(
    of type: Value.Type, from tree: ValueTree, forKey key: Key
  ) throws -> Value {
    try tree.value(of: type, at: place(of: key), reader.nesting.insideContainer)
  }

  func nestedContainer<NestedKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try nestedReader(tree(key), key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try nestedReader(tree(key), key).unkeyedContainer()
  }

  /// A superclass that nothing was written for, because there was none, may still have defaults.
  func superDecoder() -> any Decoder {
    nestedReader(entry(SuperKey.super) ?? .null(depth: 0), SuperKey.super)
  }

  func superDecoder(forKey key: Key) -> any Decoder {
    nestedReader(entry(key) ?? .null(depth: 0), key)
  }

  private func nestedReader(_ tree: ValueTree, _ key: some CodingKey) -> TreeReader {
    TreeReader(tree, at: place(of: key), reader.nesting.insideContainer)
  }

  private func tree(_ key: Key) throws -> ValueTree {
    guard let tree = entry(key) else {
      throw DecodingError(missing: key, at: reader.place)
    }
    return tree
  }

  private func entry(_ key: some CodingKey) -> ValueTree? {
    let key = StoredKey(key.stringValue)
    if let tree = entries[key] { return tree }
    if key.isASCII { return nil }
    return entries.filter { $0.key.string == key.string }.max { $0.key < $1.key }?.value
  }

  private func place(of key: some CodingKey) -> CodingPath { CodingPath(key, in: reader.place) }
}
