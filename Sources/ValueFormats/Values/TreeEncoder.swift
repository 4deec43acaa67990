/// An encoder of values to trees.
package struct TreeEncoder: Sendable {
  package init() {}

  /// Encodes a value to a tree, which ``TreeDecoder`` decodes to exactly the same value.
  package func encode<Value: Encodable>(_ value: Value) throws(ValueCodingError) -> ValueTree {
    if let tree = ValueTree.known(value) { return tree }
    let builder = TreeBuilder(at: nil, Nesting())
    do {
      try value.encode(to: builder)
      return try builder.finish()
    } catch {
      throw ValueCodingError(encoding: Value.self, error)
    }
  }
}

/// The encoder of one value; its containers write into this object.
final class TreeBuilder: Encoder {
  enum Content { case nothing, single, array, dictionary }

  let place: CodingPath?
  let nesting: Nesting

  private(set) var content = Content.nothing
  /// A problem in a call that cannot throw, thrown at the next opportunity.
  private var problem: ValueCodingError.Problem?

  private var single = ValueTree.null(depth: 0)
  private var elements: [ValueTree] = []
  private var entries: [StoredKey: ValueTree] = [:]

  // Nested containers and superclasses may be written to until encoding ends.
  private var unfinishedElements: [(index: Int, builder: TreeBuilder)] = []
  private var unfinishedEntries: [StoredKey: TreeBuilder] = [:]

  init(at place: CodingPath?, _ nesting: Nesting) {
    self.place = place
    self.nesting = nesting
  }

  var codingPath: [any CodingKey] { CodingPath.keys(to: place) }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    become(.dictionary)
    return KeyedEncodingContainer(KeyedTreeBuilder(builder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    become(.array)
    return UnkeyedTreeBuilder(builder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  /// Sets the kind of container; a superclass may continue the container of its subclass.
  func become(_ container: Content) {
    if content == container { return }
    if content != .nothing {
      problem = problem ?? .severalEncoded
    } else if !nesting.allowsContainer {
      problem = .tooDeep
    }
    content = container
  }

  /// Returns the finished tree; later writes are lost.
  func finish() throws -> ValueTree {
    try check()
    switch content {
    case .nothing: throw EncodingError(.nothingEncoded, of: (), at: place)
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
    if let problem { throw EncodingError(problem, of: (), at: place) }
  }
}

extension TreeBuilder {
  /// Returns the tree of a value inside of this one.
  func tree<Value: Encodable>(
    of value: Value, at place: @autoclosure () -> CodingPath?, _ nesting: Nesting
  ) throws -> ValueTree {
    if let tree = ValueTree.known(value) { return tree }
    // Otherwise a type that contains itself would recurse indefinitely.
    try check()
    let builder = TreeBuilder(at: place(), nesting)
    guard nesting.allowsValue else { throw EncodingError(.tooDeep, of: value, at: builder.place) }
    try value.encode(to: builder)
    return try builder.finish()
  }

  func set(_ tree: ValueTree) throws {
    guard content == .nothing else { throw EncodingError(.severalEncoded, of: (), at: place) }
    content = .single
    single = tree
  }

  var count: Int { elements.count }

  func append(_ tree: ValueTree) {
    elements.append(tree)
  }

  func appendBuilder(at place: CodingPath) -> TreeBuilder {
    let builder = TreeBuilder(at: place, nesting.insideContainer)
    unfinishedElements.append((elements.count, builder))
    elements.append(.null(depth: 0))
    return builder
  }

  func set(_ tree: ValueTree, forKey key: some CodingKey) {
    let key = StoredKey(key.stringValue)
    entries[key] = tree
    if !unfinishedEntries.isEmpty { unfinishedEntries[key] = nil }
  }

  /// Returns a builder for a key: the existing one if it has the same content.
  func builder(
    forKey key: some CodingKey, at place: CodingPath, _ content: Content = .nothing
  ) -> TreeBuilder {
    let key = StoredKey(key.stringValue)
    if content != .nothing, let builder = unfinishedEntries[key], builder.content == content {
      return builder
    }
    let builder = TreeBuilder(at: place, nesting.insideContainer)
    unfinishedEntries[key] = builder
    return builder
  }
}

extension TreeBuilder: SingleValueEncodingContainer {
  func encodeNil() throws { try set(.null(depth: 0)) }

  func encode<Value: Encodable>(_ value: Value) throws {
    try set(tree(of: value, at: place, nesting.insideLayer).wrapped)
  }

  // The standard library's own methods for these types would reject them.
  func encode(_ value: Int128) throws { try set(value.tree) }

  func encode(_ value: UInt128) throws { try set(value.tree) }
}
