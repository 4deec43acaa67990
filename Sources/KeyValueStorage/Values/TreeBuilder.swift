/// What one value encodes itself to; its containers write into this.
final class TreeBuilder: Encoder {
  enum Content { case nothing, single, array, dictionary }

  let place: CodingPath?
  let nesting: Nesting

  private(set) var content = Content.nothing
  /// What no container could throw: thrown at the next occasion.
  private var problem: TreeCodingError.Problem?

  private var single = ValueTree.null(depth: 0)
  private var elements: [ValueTree] = []
  private var entries: [StoredKey: ValueTree] = [:]

  // Nested containers and superclasses are written to for as long as anybody likes.
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
    return KeyedEncodingContainer(KeyedTreeBuilder(self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    become(.array)
    return UnkeyedTreeContainer(self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  /// Decides what this is; a superclass may go on with what its subclass began.
  func become(_ container: Content) {
    if content == container { return }
    if content != .nothing {
      problem = problem ?? .severalEncoded
    } else if !nesting.allowsContainer {
      problem = .tooDeep
    }
    content = container
  }

  /// The finished tree; what is written later is lost.
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
  /// The tree of a value inside of this one.
  func tree<Value: Encodable>(
    of value: Value, at place: @autoclosure () -> CodingPath?, _ nesting: Nesting
  ) throws -> ValueTree {
    if let tree = ValueTree.known(value) { return tree }
    // Else a type that is nested in itself would go on forever.
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

  /// A builder for a key; the same one again if it is for the same content.
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
