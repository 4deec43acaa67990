/// Turns trees into values.
struct TreeDecoder: Sendable {
  /// The value that a tree stands for, also in the forms that only another format or a person uses.
  func decode<Value: Decodable>(
    _ type: Value.Type, from tree: ValueTree
  ) throws(TreeCodingError) -> Value {
    do {
      return try tree.value(of: type, at: nil, Nesting())
    } catch {
      throw TreeCodingError(decoding: error)
    }
  }
}
