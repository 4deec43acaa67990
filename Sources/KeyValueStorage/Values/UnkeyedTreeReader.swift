/// Reads the elements of an array, one after the other; one that fails is still the next.
struct UnkeyedTreeReader: UnkeyedDecodingContainer {
  private let elements: [ValueTree]
  private let reader: TreeReader
  private(set) var currentIndex = 0

  init(_ elements: [ValueTree], of reader: TreeReader) {
    self.elements = elements
    self.reader = reader
  }

  var codingPath: [any CodingKey] { reader.codingPath }

  var count: Int? { elements.count }

  var isAtEnd: Bool { currentIndex == elements.count }

  mutating func decodeNil() throws -> Bool {
    let isNull = try next(Any?.self).isNull
    if isNull { currentIndex += 1 }
    return isNull
  }

  mutating func decode<Scalar: StoredScalar>(_ type: Scalar.Type) throws -> Scalar {
    let value = try next(type).scalar(type, at: place)
    currentIndex += 1
    return value
  }

  // The standard library would take its own method for these, which refuses them.
  mutating func decode(_ type: Int128.Type) throws -> Int128 {
    let value = try next(type).scalar(type, at: place)
    currentIndex += 1
    return value
  }

  mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
    let value = try next(type).scalar(type, at: place)
    currentIndex += 1
    return value
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try value(of: type, from: next(type))
  }

  mutating func decodeIfPresent<Value: Decodable>(_ type: Value.Type) throws -> Value? {
    if isAtEnd { return nil }
    if try decodeNil() { return nil }
    return try value(of: type, from: next(type).unwrapped)
  }

  private mutating func value<Value: Decodable>(
    of type: Value.Type, from tree: ValueTree
  ) throws -> Value {
    let value = try tree.value(of: type, at: place, reader.nesting.insideContainer)
    currentIndex += 1
    return value
  }

  mutating func nestedContainer<NestedKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    let container = try nestedReader().container(keyedBy: type)
    currentIndex += 1
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try nestedReader().unkeyedContainer()
    currentIndex += 1
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = try nestedReader()
    currentIndex += 1
    return decoder
  }

  private func nestedReader() throws -> TreeReader {
    TreeReader(try next(Any.self), at: place, reader.nesting.insideContainer)
  }

  private func next(_ type: Any.Type) throws -> ValueTree {
    if isAtEnd { throw DecodingError(.missingElement, of: type, at: reader.place) }
    return elements[currentIndex]
  }

  private var place: CodingPath { CodingPath(IndexKey(currentIndex), in: reader.place) }
}
