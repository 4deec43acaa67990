public import FoundationEssentials

/// Turns values into the bytes of an item and back: a ``KeychainEncoder`` and a ``KeychainDecoder``.
@available(
  *, deprecated,
  message: "Use `GenericPassword` of SecretStorage, which stores values as the same bytes."
)
public struct KeychainCoding: Sendable {
  /// Makes a coder.
  public init() {}

  /// The bytes of a value, as ``KeychainEncoder/encode(_:)`` makes them.
  ///
  /// - Throws: ``KeychainError/generalEncodingFailure`` when a property list cannot hold the value
  ///   exactly.
  public func encode<T: Encodable>(_ value: T) throws(KeychainError) -> Data {
    try KeychainEncoder().encode(value)
  }

  /// The value of bytes, as ``KeychainDecoder/decode(_:from:)`` reads them.
  ///
  /// - Throws: ``KeychainError/generalDecodingFailure`` when the bytes are not those of such a value.
  public func decode<T: Decodable>(_ type: T.Type, from data: Data) throws(KeychainError) -> T {
    try KeychainDecoder().decode(type, from: data)
  }
}
