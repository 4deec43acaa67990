extension TreeBuilder: SingleValueEncodingContainer {
  func encodeNil() throws {
    try set(.null(depth: 0))
  }

  func encode<Scalar: StoredScalar>(_ value: Scalar) throws {
    try set(value.tree)
  }

  // The standard library would take its own method for these, which refuses them.
  func encode(_ value: Int128) throws {
    try set(value.tree)
  }

  func encode(_ value: UInt128) throws {
    try set(value.tree)
  }

  func encode<Value: Encodable>(_ value: Value) throws {
    try set(tree(of: value, at: place, nesting.insideLayer).wrapped)
  }
}
