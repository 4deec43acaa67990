import FoundationEssentials
import StorageInternals

extension PropertyListDecoder {
  /// Decodes what 1.x coded, unless it is damaged in a way that the decoder would not survive.
  func decodeCoded<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    if data.starts(with: BinaryPropertyListCheck.magic) {
      try BinaryPropertyListCheck.check(Array(data), within: .init(values: data.count))
    }
    return try decode(type, from: data)
  }
}
