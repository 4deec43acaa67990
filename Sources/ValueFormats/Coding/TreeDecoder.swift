package struct TreeDecoder: Sendable {
  private let form: ValueForm

  /// Returns the maximum number of members that are taken from a default value, for a stored value
  /// of a size in bytes.
  ///
  /// Each of them repeats the decoding. The limit is 1,000 for a value of up to 1 MiB. For a larger
  /// one, it is so many that at most 1 GiB is decoded, and at least 16.
  private static func memberLimit(_ tree: ValueTree, size: Int) -> Int {
    // Each value takes at least two bytes, unless it is shared in a binary property list.
    min(1000, max(16, (1 << 30) / max(size, 2 * tree.valueCount)))
  }

  package init(_ form: ValueForm = .setting) { self.form = form }

  /// Decodes a value, of which no member may be missing.
  package func decode<Value: Decodable>(
    _ type: Value.Type, from tree: ValueTree
  ) throws(ValueCodingError) -> Value {
    try decode(type, from: tree, size: 0) { nil }
  }

  /// Decodes a value; a missing member is taken from `defaults`, the tree of a default value.
  ///
  /// Decoding is strict. If it fails because of a missing key, it is repeated with only that key
  /// added, so that a type that handles a missing key itself decodes the stored value. The `size`
  /// of the stored value, in bytes, limits the number of repetitions.
  package func decode<Value: Decodable>(
    _ type: Value.Type, from tree: ValueTree, size: Int, defaults: () -> ValueTree?
  ) throws(ValueCodingError) -> Value {
    var (completed, knownDefaults, addedCount) = (tree, ValueTree?.none, 0)
    lazy var limit = Self.memberLimit(tree, size: size)
    while true {
      do {
        return try completed.value(of: type, at: nil, CodingContext(form: form))
      } catch {
        guard case DecodingError.keyNotFound(let key, let context) = error,
          let defaults = knownDefaults ?? defaults(),
          completed.add(
            from: defaults, at: (context.codingPath + [key]).map { StoredKey($0.stringValue) })
        else { throw ValueCodingError(decoding: type, error) }
        (knownDefaults, addedCount) = (defaults, addedCount + 1)
        if addedCount > limit { throw ValueCodingError(.tooManyMissing(limit: limit), of: type) }
      }
    }
  }
}

extension ValueTree {
  /// The number of values in this one, itself included; a shared value is counted at each place.
  fileprivate var valueCount: Int {
    switch self {
    case .array(let elements): elements.reduce(1) { $0 + $1.valueCount }
    case .dictionary(let members): members.values.reduce(1) { $0 + $1.valueCount }
    default: 1
    }
  }

  /// Adds the value of `defaults` at a path; returns false if this tree already has a value there,
  /// or if one of the two has no dictionary on the way.
  ///
  /// No path leads through an array, because elements at the same index need not correspond.
  fileprivate mutating func add(from defaults: ValueTree, at path: [StoredKey]) -> Bool {
    var (present, addition, keys) = (Optional(self), defaults, [StoredKey]())
    for key in path {
      guard case .dictionary(let members)? = present, case .dictionary(let source) = addition,
        let next = source[key]
      else { return false }
      let match = members.key(matching: key)
      present = match.flatMap { members[$0] }
      addition = next
      keys.append(match ?? key)
    }
    guard present == nil else { return false }
    insert(addition, at: keys[...])
    return true
  }

  /// Inserts a value at a path of keys, whose last one alone is missing.
  private mutating func insert(_ value: ValueTree, at path: ArraySlice<StoredKey>) {
    guard let key = path.first, case .dictionary(var members) = self else { return self = value }
    // A second reference to the members would make the change copy all of them.
    self = .null(depth: 0)
    members[key, default: .null(depth: 0)].insert(value, at: path.dropFirst())
    self = .dictionary(members)
  }
}

/// The decoder of one value.
final class TreeReader: Decoder {
  let tree: ValueTree
  let path: CodingPath?
  let context: CodingContext

  init(_ tree: ValueTree, at path: CodingPath?, _ context: CodingContext) {
    self.tree = tree
    self.path = path
    self.context = context
  }

  var codingPath: [any CodingKey] { CodingPath.keys(to: path) }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .dictionary(let entries) = tree else {
      throw DecodingError(tree.isNot(.dictionary), of: [String: Any].self, at: path)
    }
    try checkDepth()
    return KeyedDecodingContainer(KeyedTreeReader(entries: entries, reader: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = tree else {
      throw DecodingError(tree.isNot(.array), of: [Any].self, at: path)
    }
    try checkDepth()
    return UnkeyedTreeReader(elements: elements, reader: self)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  private func checkDepth() throws {
    if !context.allowsContainer { throw DecodingError(.tooDeep, of: Any.self, at: path) }
  }

  func value<Value: Decodable>(
    of type: Value.Type, from tree: ValueTree, at key: some CodingKey
  ) throws -> Value {
    try tree.value(of: type, at: CodingPath(key, in: path), context.insideContainer)
  }

  func nested(_ tree: ValueTree, at key: some CodingKey) -> TreeReader {
    TreeReader(tree, at: CodingPath(key, in: path), context.insideContainer)
  }
}

extension TreeReader: SingleValueDecodingContainer {
  func decodeNil() -> Bool { tree.isNull }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try tree.unwrapped.value(of: type, at: path, context.insideLayer)
  }

  // The default implementations for these types throw an error.
  func decode(_ type: Int128.Type) throws -> Int128 { try tree.value(of: type, at: path, context) }
  func decode(_ type: UInt128.Type) throws -> UInt128 {
    try tree.value(of: type, at: path, context)
  }
}

extension ValueTree {
  /// Decodes a value; the `Codable` code of a standard type is not called.
  func value<Value: Decodable>(
    of type: Value.Type, at path: @autoclosure () -> CodingPath?, _ context: CodingContext
  ) throws -> Value {
    do throws(ValueCodingError.Problem) {
      try check(type, context.form)
      if let value = try builtIn(as: type, context.form) { return value }
    } catch {
      throw DecodingError(error, of: type, at: path())
    }
    let reader = TreeReader(self, at: path(), context)
    guard context.allowsValue else { throw DecodingError(.tooDeep, of: type, at: reader.path) }
    return try type.init(from: reader)
  }
}

/// A decoding container for a dictionary, which falls back to a canonically equivalent key.
struct KeyedTreeReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let entries: [StoredKey: ValueTree]
  let reader: TreeReader

  var codingPath: [any CodingKey] { reader.codingPath }

  var allKeys: [Key] {
    // The keys are sorted, because a `Dictionary` retains the last of canonically equivalent keys.
    let keys = entries.keys.allSatisfy(\.isASCII) ? Array(entries.keys) : entries.keys.sorted()
    return keys.compactMap { Key(stringValue: $0.string) }
  }

  func contains(_ key: Key) -> Bool { entry(key) != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try tree(key).isNull }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try value(of: type, key)
  }

  // The default implementations for these types throw an error.
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try value(of: type, key) }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try value(of: type, key) }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    guard let tree = entry(key), !tree.isNull else { return nil }
    return try reader.value(of: type, from: tree.unwrapped, at: key)
  }

  private func value<Value: Decodable>(of type: Value.Type, _ key: Key) throws -> Value {
    try reader.value(of: type, from: tree(key), at: key)
  }

  func nestedContainer<NestedKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try reader.nested(tree(key), at: key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try reader.nested(tree(key), at: key).unkeyedContainer()
  }

  func superDecoder() -> any Decoder { optionalReader(SuperKey.super) }

  func superDecoder(forKey key: Key) -> any Decoder { optionalReader(key) }

  /// Returns the decoder of a superclass; a missing key is decoded as nil, to allow default values.
  private func optionalReader(_ key: some CodingKey) -> TreeReader {
    reader.nested(entry(key) ?? .null(depth: 0), at: key)
  }

  private func tree(_ key: Key) throws -> ValueTree {
    if let tree = entry(key) { return tree }
    throw DecodingError.keyNotFound(key, DecodingError.Context(.missing(key), at: reader.path))
  }

  private func entry(_ key: some CodingKey) -> ValueTree? {
    entries.value(matching: StoredKey(key.stringValue))
  }
}

extension [StoredKey: ValueTree] {
  /// Returns the value of a key, or else of the last canonically equivalent key in byte order.
  fileprivate func value(matching key: StoredKey) -> ValueTree? {
    self[key] ?? equivalentKey(of: key).flatMap { self[$0] }
  }

  /// Returns the key under which `value(matching:)` finds a value.
  fileprivate func key(matching key: StoredKey) -> StoredKey? {
    self[key] == nil ? equivalentKey(of: key) : key
  }

  private func equivalentKey(of key: StoredKey) -> StoredKey? {
    key.isASCII ? nil : keys.filter { $0.string == key.string }.max()
  }
}

/// A decoding container for an array, which advances only after an element has been decoded.
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

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try value(of: type) }

  // The default implementations for these types throw an error.
  mutating func decode(_ type: Int128.Type) throws -> Int128 { try value(of: type) }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try value(of: type) }

  mutating func decodeIfPresent<Value: Decodable>(_ type: Value.Type) throws -> Value? {
    if try isAtEnd || decodeNil() { return nil }
    return advance(after: try reader.value(of: type, from: next(type).unwrapped, at: key))
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

  private mutating func value<Value: Decodable>(of type: Value.Type) throws -> Value {
    advance(after: try reader.value(of: type, from: next(type), at: key))
  }

  private func nestedReader() throws -> TreeReader { reader.nested(try next(Any.self), at: key) }

  /// Returns the next element without advancing; `type` is the type in the error at the end.
  private func next(_ type: Any.Type) throws -> ValueTree {
    if isAtEnd { throw DecodingError(.missingElement, of: type, at: reader.path) }
    return elements[currentIndex]
  }

  private mutating func advance<Result>(after result: Result) -> Result {
    currentIndex += 1
    return result
  }

  private var key: IndexKey { IndexKey(intValue: currentIndex) }
}
