public import FoundationEssentials
import ValueFormats

/// A coder for the bytes of items: a ``KeychainEncoder`` and a ``KeychainDecoder``.
@available(*, deprecated, message: "Use `GenericPassword` of SecretStorage, with the same bytes.")
public struct KeychainCoding: Sendable {
  /// Creates a coder.
  public init() {}

  /// Encodes a value, as ``KeychainEncoder/encode(_:)`` does.
  ///
  /// - Throws: ``KeychainError/generalEncodingFailure`` if a property list cannot represent
  ///   the value exactly.
  public func encode<T: Encodable>(_ value: T) throws -> Data {
    try KeychainEncoder().encode(value)
  }

  /// Decodes a value, as ``KeychainDecoder/decode(_:from:)`` does.
  ///
  /// - Throws: ``KeychainError/generalDecodingFailure`` if the bytes are not such a value.
  public func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
    try KeychainDecoder().decode(type, from: data)
  }
}

/// An encoder for the bytes of items.
///
/// Integers and `Bool` become 8 bytes in little-endian order, strings and URLs become UTF-8, data
/// is unchanged, and anything else becomes a binary property list.
@available(*, deprecated, message: "Use `GenericPassword` of SecretStorage, with the same bytes.")
public struct KeychainEncoder: Sendable {
  /// Creates an encoder.
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
}

/// A decoder for the bytes of items, written by ``KeychainEncoder`` or the older package.
@available(*, deprecated, message: "Use `GenericPassword` of SecretStorage, with the same bytes.")
public struct KeychainDecoder: Sendable {
  /// Creates a decoder.
  public init() {}

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
