/// A decoding container for the entries of a dictionary.
///
/// A key that is missing in its exact spelling means the entry whose key is equal as text.
struct KeyedTreeReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let entries: [StoredKey: ValueTree]
  let reader: TreeReader

  var codingPath: [any CodingKey] { reader.codingPath }

  var allKeys: [Key] {
    // Of keys that are equal as text, a `Dictionary` keeps the last one; sorting makes it stable.
    let keys = entries.keys.allSatisfy(\.isASCII) ? Array(entries.keys) : entries.keys.sorted()
    return keys.compactMap { Key(stringValue: $0.string) }
  }

  func contains(_ key: Key) -> Bool { entry(key) != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try tree(key).isNull }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try value(of: type, from: tree(key), key)
  }

  func decode<Scalar: StoredScalar>(_ type: Scalar.Type, forKey key: Key) throws -> Scalar {
    try tree(key).scalar(at: place(of: key))
  }

  // The standard library's own methods for these types would reject them.
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
    try tree(key).scalar(at: place(of: key))
  }

  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
    try tree(key).scalar(at: place(of: key))
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    guard let tree = entry(key), !tree.isNull else { return nil }
    return try value(of: type, from: tree.unwrapped, key)
  }

  private func value<Value: Decodable>(
    of type: Value.Type, from tree: ValueTree, _ key: Key
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

  func superDecoder() -> any Decoder { optionalReader(SuperKey.super) }

  func superDecoder(forKey key: Key) -> any Decoder { optionalReader(key) }

  /// Returns a superclass's decoder; a missing one decodes null, because it may have defaults.
  private func optionalReader(_ key: some CodingKey) -> TreeReader {
    nestedReader(entry(key) ?? .null(depth: 0), key)
  }

  private func nestedReader(_ tree: ValueTree, _ key: some CodingKey) -> TreeReader {
    TreeReader(tree, at: place(of: key), reader.nesting.insideContainer)
  }

  private func tree(_ key: Key) throws -> ValueTree {
    guard let tree = entry(key) else { throw DecodingError(missing: key, at: reader.place) }
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

/// A decoding container for the elements of an array; a failed element stays the next.
struct UnkeyedTreeReader: UnkeyedDecodingContainer {
  let elements: [ValueTree]
  let reader: TreeReader
  private(set) var currentIndex = 0

  var codingPath: [any CodingKey] { reader.codingPath }

  var count: Int? { elements.count }

  var isAtEnd: Bool { currentIndex == elements.count }

  mutating func decodeNil() throws -> Bool {
    let isNull = try next(Any?.self).isNull
    if isNull { currentIndex += 1 }
    return isNull
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    advance(after: try value(of: type, from: next(type)))
  }

  // The standard library's own methods for these types would reject them.
  mutating func decode(_ type: Int128.Type) throws -> Int128 {
    advance(after: try value(of: type, from: next(type)))
  }

  mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
    advance(after: try value(of: type, from: next(type)))
  }

  mutating func decodeIfPresent<Value: Decodable>(_ type: Value.Type) throws -> Value? {
    if isAtEnd { return nil }
    if try decodeNil() { return nil }
    return advance(after: try value(of: type, from: next(type).unwrapped))
  }

  mutating func nestedContainer<NestedKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    advance(after: try nestedReader().container(keyedBy: type))
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    advance(after: try nestedReader().unkeyedContainer())
  }

  mutating func superDecoder() throws -> any Decoder { advance(after: try nestedReader()) }

  private func value<Value: Decodable>(of type: Value.Type, from tree: ValueTree) throws -> Value {
    try tree.value(of: type, at: place, reader.nesting.insideContainer)
  }

  private func nestedReader() throws -> TreeReader {
    TreeReader(try next(Any.self), at: place, reader.nesting.insideContainer)
  }

  private func next(_ type: Any.Type) throws -> ValueTree {
    if isAtEnd { throw DecodingError(.missingElement, of: type, at: reader.place) }
    return elements[currentIndex]
  }

  private mutating func advance<Result>(after result: Result) -> Result {
    currentIndex += 1
    return result
  }

  private var place: CodingPath { CodingPath(IndexKey(currentIndex), in: reader.place) }
}
