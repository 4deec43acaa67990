/// A decoder of values from trees.
package struct TreeDecoder: Sendable {
  package init() {}

  /// Decodes a tree; also accepts forms that only other programs or people write.
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
  let path: CodingPath?
  let depth: NestingDepth

  init(_ tree: ValueTree, at path: CodingPath?, _ depth: NestingDepth) {
    self.tree = tree
    self.path = path
    self.depth = depth
  }

  var codingPath: [any CodingKey] { CodingPath.keys(to: path) }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .dictionary(let entries) = tree else {
      throw DecodingError(tree.isNot(.dictionary), of: [String: Any].self, at: path)
    }
    try checkDepth()
    return KeyedDecodingContainer(KeyedTreeReader(entries: entries, reader: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = tree else {
      throw DecodingError(tree.isNot(.array), of: [Any].self, at: path)
    }
    try checkDepth()
    return UnkeyedTreeReader(elements: elements, reader: self)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  private func checkDepth() throws {
    if !depth.allowsContainer { throw DecodingError(.tooDeep, of: Any.self, at: path) }
  }
}

extension TreeReader: SingleValueDecodingContainer {
  func decodeNil() -> Bool { tree.isNull }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try tree.unwrapped.value(of: type, at: path, depth.insideLayer)
  }

  // The default implementations for these types throw an error.
  func decode(_ type: Int128.Type) throws -> Int128 { try tree.value(of: type, at: path, depth) }

  func decode(_ type: UInt128.Type) throws -> UInt128 { try tree.value(of: type, at: path, depth) }
}

extension ValueTree {
  /// Decodes a value and throws the errors of the standard library.
  package func decoded<Value: Decodable>(as type: Value.Type) throws -> Value {
    try value(of: type, at: nil, NestingDepth())
  }

  func scalar<Scalar: StoredScalar>(at path: @autoclosure () -> CodingPath?) throws -> Scalar {
    do throws(ValueCodingError.Problem) {
      return try Scalar(self)
    } catch {
      throw DecodingError(error, of: Scalar.self, at: path())
    }
  }

  func value<Value: Decodable>(
    of type: Value.Type, at path: @autoclosure () -> CodingPath?, _ depth: NestingDepth
  ) throws -> Value {
    do throws(ValueCodingError.Problem) {
      if let value = try known(as: type) { return value }
    } catch {
      throw DecodingError(error, of: type, at: path())
    }
    let reader = TreeReader(self, at: path(), depth)
    guard depth.allowsValue else { throw DecodingError(.tooDeep, of: type, at: reader.path) }
    return try type.init(from: reader)
  }
}

/// The depth of nested containers and values around a value.
struct NestingDepth: Sendable {
  /// The number of enclosing arrays and dictionaries.
  private var containers = 0

  /// The number of enclosing single values, such as optionals, in the innermost container.
  private var layers = 0

  /// Whether an array or a dictionary is allowed here; the root of the file takes one level.
  var allowsContainer: Bool { containers + 1 < FormatLimits.depth }

  /// Whether a value is allowed here; only a type that contains itself exceeds the limit.
  var allowsValue: Bool { layers <= 64 }

  var insideContainer: NestingDepth { NestingDepth(containers: containers + 1) }

  var insideLayer: NestingDepth { NestingDepth(containers: containers, layers: layers + 1) }
}

/// A path to a nested value: a coding key, and the path to its container.
final class CodingPath {
  private let parent: CodingPath?
  private let key: any CodingKey

  init(_ key: some CodingKey, in parent: CodingPath?) {
    self.key = key
    self.parent = parent
  }

  /// Returns the coding keys of a path from the root; nil is the path to the root.
  static func keys(to path: CodingPath?) -> [any CodingKey] {
    var keys: [any CodingKey] = []
    var next = path
    while let path = next {
      keys.append(path.key)
      next = path.parent
    }
    return keys.reversed()
  }
}
