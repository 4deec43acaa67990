import FoundationEssentials
import StorageInternals

extension PropertyListDecoder {
  /// Decodes what 1.x coded.
  ///
  /// A list that is damaged so that an object is inside of itself is refused: a type that nests in itself
  /// would be decoded until the stack is full.
  func decodeCoded<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    if Array(data).span.hasPropertyListCycle { throw PropertyListCycle() }
    return try decode(type, from: data)
  }
}

private struct PropertyListCycle: Error {}
