import FoundationEssentials

/// A string attribute, which may be encoded as data.
struct KeychainString: Decodable {
  let value: String

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    do {
      value = try container.decode(String.self)
    } catch {
      let data = try container.decode(Data.self)
      guard let value = String(validating: data, as: UTF8.self) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "not UTF-8")
      }
      self.value = value
    }
  }

  /// The string; a keychain returns an empty one for an absent attribute.
  var nonempty: String? { value.isEmpty ? nil : value }
}

/// A four-character code, which may be encoded as a string or as a number.
struct KeychainCode: Decodable {
  let number: UInt32?

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let failure = DecodingError.dataCorruptedError(
      in: container, debugDescription: "not a four-character code")
    do {
      let characters = Array(try container.decode(String.self).utf8)
      guard characters.count <= 4 else { throw failure }
      let padded = characters + Array(repeating: UInt8(ascii: " "), count: 4 - characters.count)
      number = characters.isEmpty ? nil : padded.reduce(0) { $0 << 8 | UInt32($1) }
    } catch DecodingError.typeMismatch {
      let value = try container.decode(Int64.self)
      // Codes whose first character is not ASCII are negative numbers.
      guard let bits = UInt32(exactly: value) ?? Int32(exactly: value).map(UInt32.init(bitPattern:))
      else { throw failure }
      number = bits == 0 ? nil : bits
    }
  }

  var string: String? {
    guard let number else { return nil }
    let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    return String(validating: bytes, as: UTF8.self)
  }
}

/// A Boolean attribute, which may be encoded as a number.
struct KeychainFlag: Decodable {
  let isSet: Bool

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    do {
      isSet = try container.decode(Bool.self)
    } catch DecodingError.typeMismatch {
      isSet = try container.decode(Int.self) != 0
    }
  }
}
