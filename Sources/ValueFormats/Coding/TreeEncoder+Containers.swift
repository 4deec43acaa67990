/// An encoding container for the entries of a dictionary, which keeps the last value of each key.
struct KeyedTreeBuilder<Key: CodingKey>: KeyedEncodingContainerProtocol {
  /// The builder of the dictionary.
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
    try builder.tree(of: value, at: path(of: key), builder.depth.insideContainer)
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

/// An encoding container for the elements of an array.
struct UnkeyedTreeBuilder: UnkeyedEncodingContainer {
  /// The builder of the array.
  let builder: TreeBuilder

  var codingPath: [any CodingKey] { builder.codingPath }

  var count: Int { builder.elements.count }

  func encodeNil() { builder.elements.append(.null(depth: 0)) }

  func encode<Value: Encodable>(_ value: Value) throws {
    let tree = try builder.tree(of: value, at: path, builder.depth.insideContainer)
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
