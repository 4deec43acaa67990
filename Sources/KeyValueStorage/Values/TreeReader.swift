/// What one value decodes itself from.
final class TreeReader: Decoder {
  let tree: ValueTree
  let place: CodingPath?
  let nesting: Nesting

  init(_ tree: ValueTree, at place: CodingPath?, _ nesting: Nesting) {
    self.tree = tree
    self.place = place
    self.nesting = nesting
  }

  var codingPath: [any CodingKey] { CodingPath.keys(to: place) }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .dictionary(let entries) = tree else {
      throw DecodingError(tree.isNot(.dictionary), of: [String: Any].self, at: place)
    }
    try checkDepth()
    return KeyedDecodingContainer(KeyedTreeReader(entries, of: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = tree else {
      throw DecodingError(tree.isNot(.array), of: [Any].self, at: place)
    }
    try checkDepth()
    return UnkeyedTreeReader(elements, of: self)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  private func checkDepth() throws {
    if !nesting.allowsContainer { throw DecodingError(.tooDeep, of: Any.self, at: place) }
  }
}

extension TreeReader: SingleValueDecodingContainer {
  func decodeNil() -> Bool { tree.isNull }

  func decode<Scalar: StoredScalar>(_ type: Scalar.Type) throws -> Scalar {
    try tree.scalar(type, at: place)
  }

  // The standard library would take its own method for these, which refuses them.
  func decode(_ type: Int128.Type) throws -> Int128 { try tree.scalar(type, at: place) }

  func decode(_ type: UInt128.Type) throws -> UInt128 { try tree.scalar(type, at: place) }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try tree.unwrapped.value(of: type, at: place, nesting.insideLayer)
  }
}

extension ValueTree {
  func scalar<Scalar: StoredScalar>(
    _ type: Scalar.Type, at place: @autoclosure () -> CodingPath?
  ) throws -> Scalar {
    do throws(TreeCodingError.Problem) {
      return try Scalar(self)
    } catch {
      throw DecodingError(error, of: type, at: place())
    }
  }

  func value<Value: Decodable>(
    of type: Value.Type, at place: @autoclosure () -> CodingPath?, _ nesting: Nesting
  ) throws -> Value {
    do throws(TreeCodingError.Problem) {
      if let value = try known(as: type) { return value }
    } catch {
      throw DecodingError(error, of: type, at: place())
    }
    let reader = TreeReader(self, at: place(), nesting)
    guard nesting.allowsValue else { throw DecodingError(.tooDeep, of: type, at: reader.place) }
    return try type.init(from: reader)
  }
}
