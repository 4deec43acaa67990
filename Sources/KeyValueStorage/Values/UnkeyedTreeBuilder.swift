/// Writes the elements of an array.
struct UnkeyedTreeContainer: UnkeyedEncodingContainer {
  private let builder: TreeBuilder

  /// - Parameter builder: One that has become an array.
  init(_ builder: TreeBuilder) {
    self.builder = builder
  }

  var codingPath: [any CodingKey] { builder.codingPath }

  var count: Int { builder.count }

  func encodeNil() {
    builder.append(.null(depth: 0))
  }

  func encode<Scalar: StoredScalar>(_ value: Scalar) {
    builder.append(value.tree)
  }

  // The standard library would take its own method for these, which refuses them.
  func encode(_ value: Int128) {
    builder.append(value.tree)
  }

  func encode(_ value: UInt128) {
    builder.append(value.tree)
  }

  func encode<Value: Encodable>(_ value: Value) throws {
    builder.append(try builder.tree(of: value, at: place, builder.nesting.insideContainer))
  }

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
