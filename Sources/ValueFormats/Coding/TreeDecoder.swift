package struct TreeDecoder: Sendable {
  private let form: ValueForm

  package init(_ form: ValueForm = .setting) { self.form = form }

  package func decode<Value: Decodable>(
    _ type: Value.Type, from tree: ValueTree
  ) throws(ValueCodingError) -> Value {
    do {
      return try tree.value(of: type, at: nil, CodingContext(form: form))
    } catch {
      throw ValueCodingError(decoding: type, error)
    }
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
    do {
      return try type.init(from: reader)
    } catch {
      throw context.form == .setting ? reader.error(error, ofRawValueOf: type) : error
    }
  }
}

extension TreeReader {
  /// Returns the error of an enumeration about the raw value at this path, with its cases; any
  /// other error, such as that of a type's own code, is returned as it is.
  fileprivate func error(_ error: any Error, ofRawValueOf type: Any.Type) -> any Error {
    guard type is any RawRepresentable.Type else { return error }
    let cases = rawValues(of: type)
    let problem = cases.map { ValueCodingError.Problem.unknownCase(allowed: $0.values) }
    let depth = codingPath.count
    func isWrongType(_ context: DecodingError.Context) -> Bool {
      guard context.codingPath.count == depth,
        case ValueCodingError.Problem.wrongType(let expected, _)? = context.underlyingError
      else { return false }
      return expected == cases?.kind
    }
    switch error {
    // The description by the standard library contains all of the raw value.
    case DecodingError.dataCorrupted(let context)
    where context.codingPath.count == depth && context.underlyingError == nil
      && context.debugDescription.hasPrefix("Cannot initialize "):
      return DecodingError.dataCorrupted(DecodingError.Context(problem ?? .notValid, at: path))
    case DecodingError.typeMismatch(let expected, let context) where isWrongType(context):
      return DecodingError.typeMismatch(
        expected, problem.map { DecodingError.Context($0, at: path) } ?? context)
    case DecodingError.valueNotFound(let expected, let context) where isWrongType(context):
      return DecodingError.valueNotFound(
        expected, problem.map { DecodingError.Context($0, at: path) } ?? context)
    default: return error
    }
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
  func key(matching key: StoredKey) -> StoredKey? {
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
