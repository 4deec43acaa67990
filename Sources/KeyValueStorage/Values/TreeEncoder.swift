/// Turns values into trees.
struct TreeEncoder: Sendable {
  /// The tree of a value, from which ``TreeDecoder`` gets exactly the same one.
  func encode<Value: Encodable>(_ value: Value) throws(TreeCodingError) -> ValueTree {
    if let tree = ValueTree.known(value) { return tree }
    let builder = TreeBuilder(at: nil, Nesting())
    do {
      try value.encode(to: builder)
      return try builder.finish()
    } catch {
      throw TreeCodingError(encoding: error)
    }
  }
}
