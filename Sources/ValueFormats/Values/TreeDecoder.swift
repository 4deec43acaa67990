/// A decoder of values from trees.
package struct TreeDecoder: Sendable {
  package init() {}

  /// Decodes a tree, also in forms that only another format or a person writes.
  package func decode<Value: Decodable>(
    _ type: Value.Type, from tree: ValueTree
  ) throws(ValueCodingError) -> Value {
    do {
      return try tree.decoded(as: type)
    } catch {
      throw ValueCodingError(decoding: type, error)
    }
  }
}

/// The decoder of one value.
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
    return KeyedDecodingContainer(KeyedTreeReader(entries: entries, reader: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = tree else {
      throw DecodingError(tree.isNot(.array), of: [Any].self, at: place)
    }
    try checkDepth()
    return UnkeyedTreeReader(elements: elements, reader: self)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  private func checkDepth() throws {
    if !nesting.allowsContainer { throw DecodingError(.tooDeep, of: Any.self, at: place) }
  }
}

extension TreeReader: SingleValueDecodingContainer {
  func decodeNil() -> Bool { tree.isNull }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try tree.unwrapped.value(of: type, at: place, nesting.insideLayer)
  }

  // The standard library's own methods for these types would reject them.
  func decode(_ type: Int128.Type) throws -> Int128 { try tree.value(of: type, at: place, nesting) }

  func decode(_ type: UInt128.Type) throws -> UInt128 {
    try tree.value(of: type, at: place, nesting)
  }
}

extension ValueTree {
  /// Decodes a value, with the errors of the standard library.
  package func decoded<Value: Decodable>(as type: Value.Type) throws -> Value {
    try value(of: type, at: nil, Nesting())
  }

  func scalar<Scalar: StoredScalar>(at place: @autoclosure () -> CodingPath?) throws -> Scalar {
    do throws(ValueCodingError.Problem) {
      return try Scalar(self)
    } catch {
      throw DecodingError(error, of: Scalar.self, at: place())
    }
  }

  func value<Value: Decodable>(
    of type: Value.Type, at place: @autoclosure () -> CodingPath?, _ nesting: Nesting
  ) throws -> Value {
    do throws(ValueCodingError.Problem) {
      if let value = try known(as: type) { return value }
    } catch {
      throw DecodingError(error, of: type, at: place())
    }
    let reader = TreeReader(self, at: place(), nesting)
    guard nesting.allowsValue else { throw DecodingError(.tooDeep, of: type, at: reader.place) }
    return try type.init(from: reader)
  }
}
