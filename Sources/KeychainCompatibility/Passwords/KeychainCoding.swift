public import FoundationEssentials
import ValueFormats

/// A coder for the bytes of items, which also reads those of the older package.
///
/// Integers and `Bool` become 8 bytes in little-endian order, strings and URLs become UTF-8, data
/// is unchanged, and anything else becomes a binary property list.
@available(*, deprecated, message: "Use `GenericPassword` of SecretStorage, with the same bytes.")
public struct KeychainCoding: Sendable {
  /// Creates a coder.
  public init() {}

  /// Encodes a value.
  ///
  /// - Throws: ``KeychainError/generalEncodingFailure`` if a property list cannot represent
  ///   the value exactly.
  public func encode<T: Encodable>(_ value: T) throws -> Data {
    do throws(ValueCodingError) {
      return Data(try ValueCoder().encode(value))
    } catch {
      throw KeychainError.generalEncodingFailure
    }
  }

  /// Decodes a value; integers may have 1, 2, 4 or 8 bytes.
  ///
  /// - Throws: ``KeychainError/generalDecodingFailure`` if the bytes are not such a value, or if an
  ///   integer is out of range for its type.
  public func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
    do throws(ValueCodingError) {
      return try ValueCoder().decode(type, from: Array(data))
    } catch {
      throw KeychainError.generalDecodingFailure
    }
  }
}

/// A coder for the bytes of items, under its name for encoding.
@available(*, deprecated, message: "Use `GenericPassword` of SecretStorage, with the same bytes.")
public typealias KeychainEncoder = KeychainCoding

/// A coder for the bytes of items, under its name for decoding.
@available(*, deprecated, message: "Use `GenericPassword` of SecretStorage, with the same bytes.")
public typealias KeychainDecoder = KeychainCoding
