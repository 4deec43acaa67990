package struct TreeEncoder: Sendable {
  private let form: ValueForm

  package init(_ form: ValueForm = .setting) { self.form = form }

  /// Encodes a value to a tree, from which a ``TreeDecoder`` decodes the same value.
  package func encode<Value: Encodable>(_ value: Value) throws(ValueCodingError) -> ValueTree {
    if let tree = ValueTree.builtIn(value, form) { return tree }
    let builder = TreeBuilder(at: nil, CodingContext(form: form))
    do {
      try value.encode(to: builder)
      return try builder.finish()
    } catch {
      throw ValueCodingError(encoding: Value.self, error)
    }
  }
}

/// The encoder of one value, which stores the content of its containers.
final class TreeBuilder: Encoder {
  enum Content { case nothing, single, array, dictionary }

  let path: CodingPath?
  let context: CodingContext

  private(set) var content = Content.nothing
  /// A problem in a method that cannot throw, which the next method that can throw reports.
  private var problem: ValueCodingError.Problem?

  private var single = ValueTree.null(depth: 0)
  var elements: [ValueTree] = []
  private var entries: [StoredKey: ValueTree] = [:]

  // Nested containers and the encoders of superclasses may be used until encoding ends.
  private var unfinishedElements: [(index: Int, builder: TreeBuilder)] = []
  private var unfinishedEntries: [StoredKey: TreeBuilder] = [:]

  init(at path: CodingPath?, _ context: CodingContext) {
    self.path = path
    self.context = context
  }

  var codingPath: [any CodingKey] { CodingPath.keys(to: path) }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    setContent(.dictionary)
    return KeyedEncodingContainer(KeyedTreeBuilder(builder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    setContent(.array)
    return UnkeyedTreeBuilder(builder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  /// A superclass may share the container of its subclass.
  private func setContent(_ container: Content) {
    if content == container { return }
    if content != .nothing {
      problem = problem ?? .multipleEncoded
    } else if !context.allowsContainer {
      problem = .tooDeep
    }
    content = container
  }

  /// Returns the finished tree; later writes have no effect.
  func finish() throws -> ValueTree {
    try check()
    switch content {
    // Like Foundation, which reads the value from an empty dictionary.
    case .nothing where context.form == .foundation: return .dictionary([:])
    case .nothing: throw EncodingError(.nothingEncoded, of: (), at: path)
    case .single: return single
    case .array:
      for (index, builder) in unfinishedElements { elements[index] = try builder.finish() }
      return .array(elements)
    case .dictionary:
      for (key, builder) in unfinishedEntries { entries[key] = try builder.finish() }
      return .dictionary(entries)
    }
  }

  private func check() throws {
    if let problem { throw EncodingError(problem, of: (), at: path) }
  }

  func tree<Value: Encodable>(
    of value: Value, at path: @autoclosure () -> CodingPath?, _ context: CodingContext
  ) throws -> ValueTree {
    if let tree = ValueTree.builtIn(value, context.form) { return tree }
    // Otherwise a type that contains itself would recurse indefinitely.
    try check()
    let builder = TreeBuilder(at: path(), context)
    guard context.allowsValue else { throw EncodingError(.tooDeep, of: value, at: builder.path) }
    try value.encode(to: builder)
    return try builder.finish()
  }

  func set(_ tree: ValueTree) throws {
    guard content == .nothing else { throw EncodingError(.multipleEncoded, of: (), at: path) }
    content = .single
    single = tree
  }

  func appendBuilder(at path: CodingPath) -> TreeBuilder {
    let builder = TreeBuilder(at: path, context.insideContainer)
    unfinishedElements.append((elements.count, builder))
    elements.append(.null(depth: 0))
    return builder
  }

  func set(_ tree: ValueTree, forKey key: some CodingKey) {
    let key = StoredKey(key.stringValue)
    entries[key] = tree
    if !unfinishedEntries.isEmpty { unfinishedEntries[key] = nil }
  }

  /// Returns the builder for a key; reuses a builder with the same kind of content.
  func builder(
    forKey key: some CodingKey, at path: CodingPath, _ content: Content = .nothing
  ) -> TreeBuilder {
    let key = StoredKey(key.stringValue)
    if content != .nothing, let builder = unfinishedEntries[key], builder.content == content {
      return builder
    }
    let builder = TreeBuilder(at: path, context.insideContainer)
    unfinishedEntries[key] = builder
    return builder
  }
}

extension TreeBuilder: SingleValueEncodingContainer {
  func encodeNil() throws { try set(.null(depth: 0)) }

  func encode<Value: Encodable>(_ value: Value) throws {
    try set(tree(of: value, at: path, context.insideLayer).wrapped)
  }

  // The default implementations for these types throw an error.
  func encode(_ value: Int128) throws { try set(value.tree) }

  func encode(_ value: UInt128) throws { try set(value.tree) }
}

/// An encoding container for a dictionary, which retains the last value of each key.
struct KeyedTreeBuilder<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let builder: TreeBuilder

  var codingPath: [any CodingKey] { builder.codingPath }

  func encodeNil(forKey key: Key) { builder.set(.null(depth: 0), forKey: key) }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    builder.set(try tree(of: value, forKey: key), forKey: key)
  }

  // The default implementations for these types throw an error.
  func encode(_ value: Int128, forKey key: Key) { builder.set(value.tree, forKey: key) }

  func encode(_ value: UInt128, forKey key: Key) { builder.set(value.tree, forKey: key) }

  func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
    guard let value else { return }
    builder.set(try tree(of: value, forKey: key).wrapped, forKey: key)
  }

  private func tree<Value: Encodable>(of value: Value, forKey key: Key) throws -> ValueTree {
    try builder.tree(of: value, at: path(of: key), builder.context.insideContainer)
  }

  func nestedContainer<NestedKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    nestedBuilder(key, .dictionary).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    nestedBuilder(key, .array).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { nestedBuilder(SuperKey.super) }

  func superEncoder(forKey key: Key) -> any Encoder { nestedBuilder(key) }

  private func nestedBuilder(
    _ key: some CodingKey, _ content: TreeBuilder.Content = .nothing
  ) -> TreeBuilder {
    builder.builder(forKey: key, at: path(of: key), content)
  }

  private func path(of key: some CodingKey) -> CodingPath { CodingPath(key, in: builder.path) }
}

struct UnkeyedTreeBuilder: UnkeyedEncodingContainer {
  let builder: TreeBuilder

  var codingPath: [any CodingKey] { builder.codingPath }

  var count: Int { builder.elements.count }

  func encodeNil() { builder.elements.append(.null(depth: 0)) }

  func encode<Value: Encodable>(_ value: Value) throws {
    let tree = try builder.tree(of: value, at: path, builder.context.insideContainer)
    builder.elements.append(tree)
  }

  // The default implementations for these types throw an error.
  func encode(_ value: Int128) { builder.elements.append(value.tree) }

  func encode(_ value: UInt128) { builder.elements.append(value.tree) }

  func nestedContainer<NestedKey>(
    keyedBy type: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    builder.appendBuilder(at: path).container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    builder.appendBuilder(at: path).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { builder.appendBuilder(at: path) }

  private var path: CodingPath { CodingPath(IndexKey(count), in: builder.path) }
}
