/// An encoding container for the entries of a dictionary; the last value of a key counts.
struct KeyedTreeBuilder<Key: CodingKey>: KeyedEncodingContainerProtocol {
  /// A builder that has become a dictionary.
  let builder: TreeBuilder

  var codingPath: [any CodingKey] { builder.codingPath }

  func encodeNil(forKey key: Key) { builder.set(.null(depth: 0), forKey: key) }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    builder.set(try tree(of: value, forKey: key), forKey: key)
  }

  // The standard library's own methods for these types would reject them.
  func encode(_ value: Int128, forKey key: Key) { builder.set(value.tree, forKey: key) }

  func encode(_ value: UInt128, forKey key: Key) { builder.set(value.tree, forKey: key) }

  func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
    guard let value else { return }
    builder.set(try tree(of: value, forKey: key).wrapped, forKey: key)
  }

  private func tree<Value: Encodable>(of value: Value, forKey key: Key) throws -> ValueTree {
    try builder.tree(of: value, at: place(of: key), builder.nesting.insideContainer)
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
    builder.builder(forKey: key, at: place(of: key), content)
  }

  private func place(of key: some CodingKey) -> CodingPath { CodingPath(key, in: builder.place) }
}

/// An encoding container for the elements of an array.
struct UnkeyedTreeBuilder: UnkeyedEncodingContainer {
  /// A builder that has become an array.
  let builder: TreeBuilder

  var codingPath: [any CodingKey] { builder.codingPath }

  var count: Int { builder.count }

  func encodeNil() { builder.append(.null(depth: 0)) }

  func encode<Value: Encodable>(_ value: Value) throws {
    builder.append(try builder.tree(of: value, at: place, builder.nesting.insideContainer))
  }

  // The standard library's own methods for these types would reject them.
  func encode(_ value: Int128) { builder.append(value.tree) }

  func encode(_ value: UInt128) { builder.append(value.tree) }

  func nestedContainer<NestedKey>(
    keyedBy type: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    builder.appendBuilder(at: place).container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    builder.appendBuilder(at: place).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { builder.appendBuilder(at: place) }

  private var place: CodingPath { CodingPath(IndexKey(count), in: builder.place) }
}
