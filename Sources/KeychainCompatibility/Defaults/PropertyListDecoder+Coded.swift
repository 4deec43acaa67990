import FoundationEssentials
import StorageInternals

extension PropertyListDecoder {
  /// The depth to which a `KeyValueStore` takes containers.
  private static let depthLimit = 512

  /// Decodes a property list of 1.x, unless it is damaged in a way that crashes the decoder.
  func decodeCoded<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    let bytes = Array(data)
    let limits = PropertyListFlaw.Limits(depth: Self.depthLimit, values: bytes.count)
    if bytes.starts(with: BinaryPropertyListCheck.magic) {
      try BinaryPropertyListCheck.check(bytes, within: limits)
    } else {
      try XMLPropertyListCheck.check(bytes, within: limits)
    }
    return try decode(type, from: data)
  }
}
