public import FoundationEssentials
import StorageInternals

/// Turns the bytes of an item into values, as ``KeychainEncoder`` and the older package wrote them.
@available(
  *, deprecated,
  message: "Use `GenericPassword` of SecretStorage, which reads values from the same bytes."
)
public struct KeychainDecoder: Sendable {
  /// Makes a decoder.
  public init() {}

  /// The value of bytes; integers may have 1, 2, 4 or 8 of them.
  ///
  /// - Throws: ``KeychainError/generalDecodingFailure`` when the bytes are not those of such a value,
  ///   also when an integer is too large or too small for its type.
  public func decode<T: Decodable>(_ type: T.Type, from data: Data) throws(KeychainError) -> T {
    do throws(ValueCodingError) {
      return try ValueCoder().decode(type, from: Array(data))
    } catch {
      throw .generalDecodingFailure
    }
  }
}
