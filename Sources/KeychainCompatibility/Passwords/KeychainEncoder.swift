public import FoundationEssentials
import StorageInternals

/// Turns values into the bytes of an item: integers and `Bool` as 8 bytes with the lowest first, text as
/// UTF-8, a URL as its text, data as itself, and anything else as a binary property list.
@available(
  *, deprecated,
  message: "Use `GenericPassword` of SecretStorage, which stores values as the same bytes."
)
public struct KeychainEncoder: Sendable {
  /// Makes an encoder.
  public init() {}

  /// The bytes of a value.
  ///
  /// - Throws: ``KeychainError/generalEncodingFailure`` when a property list cannot hold the value
  ///   exactly.
  public func encode<T: Encodable>(_ value: T) throws(KeychainError) -> Data {
    do throws(ValueCodingError) {
      return Data(try ValueCoder().encode(value))
    } catch {
      throw .generalEncodingFailure
    }
  }
}
