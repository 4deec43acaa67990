/// Writes the entries of a dictionary; of those with the same key the last one counts.
struct KeyedTreeBuilder<Key: CodingKey>: KeyedEncodingContainerProtocol {
  private let builder: TreeBuilder

  /// - Parameter builder: One that has become a dictionary.
  init(_ builder: TreeBuilder) {
    self.builder = builder
  }

  var codingPath: [any CodingKey] { builder.codingPath }

  func encodeNil(forKey key: Key) {
    builder.set(.null(depth: 0), forKey: key)
  }

  func encode<Scalar: StoredScalar>(_ value: Scalar, forKey key: Key) {
    builder.set(value.tree, forKey: key)
  }

  // The standard library would take its own method for these, which refuses them.
  func encode(_ value: Int128, forKey key: Key) {
    builder.set(value.tree, forKey: key)
  }

  func encode(_ value: UInt128, forKey key: Key) {
    builder.set(value.tree, forKey: key)
  }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    builder.set(try tree(of: value, forKey: key), forKey: key)
  }

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
