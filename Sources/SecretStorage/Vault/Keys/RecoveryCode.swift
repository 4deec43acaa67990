/// A random code that opens a vault, which a user writes down and types later.
///
/// The code has 34 random characters of 5 bits each and a checksum of 6 characters, in groups of
/// five. The alphabet is Crockford's Base32, `0123456789ABCDEFGHJKMNPQRSTVWXYZ`. Parsing ignores
/// case, spaces and hyphens, and accepts `I` and `L` for `1` and `O` for `0`. The checksum, Bech32m
/// of BIP 350, detects all errors in at most four characters, and nearly all others.
public struct RecoveryCode: Sendable, Equatable {
  private static let randomCount = 34
  private static let count = randomCount + Bech32mChecksum.count
  private static let groupCount = 5
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

  /// The characters of the alphabet without hyphens, which are the key of the code's slot.
  let characters: Secret

  static func random() throws(SecretStoreError) -> RecoveryCode {
    let bytes = try Secret.random(randomCount)
    let characters = unsafe Secret(count: count) { buffer in
      unsafe bytes.withUnsafeBytes { bytes in
        for index in bytes.indices { unsafe buffer[index] = bytes[index] & 31 }
      }
      var checksum = Bech32mChecksum(humanReadablePart: "locket")
      for index in 0..<randomCount { checksum.add(unsafe buffer[index]) }
      for index in 0..<Bech32mChecksum.count {
        unsafe buffer[randomCount + index] = checksum.value(at: index)
      }
      for index in buffer.indices { unsafe buffer[index] = alphabet[Int(buffer[index])] }
    }
    return RecoveryCode(characters: characters)
  }

  private init(characters: Secret) {
    self.characters = characters
  }

  /// Creates a recovery code from a string that a user typed; throws
  /// ``SecretStoreError/invalid(_:)`` if it was mistyped.
  public init(_ string: some StringProtocol) throws {
    var length = 0
    var isReadable = true
    var checksum = Bech32mChecksum(humanReadablePart: "locket")
    characters = unsafe Secret(count: Self.count) { buffer in
      for scalar in string.unicodeScalars {
        let properties = scalar.properties
        if properties.isWhitespace || properties.generalCategory == .dashPunctuation { continue }
        defer { length += 1 }
        guard length < Self.count else { continue }
        guard let value = Self.value(of: scalar) else {
          isReadable = false
          continue
        }
        unsafe buffer[length] = Self.alphabet[Int(value)]
        checksum.add(value)
      }
    }
    guard isReadable else {
      throw SecretStoreError.invalid(
        "The recovery code was mistyped: it can contain only digits and the letters A–Z except U")
    }
    guard length == Self.count else {
      throw SecretStoreError.invalid(
        "The recovery code was mistyped: it has \(Self.count) letters and digits, not \(length)")
    }
    guard checksum.isValid else {
      throw SecretStoreError.invalid(
        "The recovery code was mistyped: compare each letter and digit with the written code")
    }
  }

  /// Calls a closure with the code as text, in groups of five characters separated by hyphens.
  ///
  /// Display the text, but do not store it: the memory of a `String` is not overwritten after use.
  public func withText<Result, Failure: Error>(
    _ body: (String) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let text = unsafe characters.withUnsafeBytes { characters in
      var text: [UInt8] = []
      for index in characters.indices {
        if index > 0, index % Self.groupCount == 0 { text.append(UInt8(ascii: "-")) }
        unsafe text.append(characters[index])
      }
      return String(decoding: text, as: UTF8.self)
    }
    return try body(text)
  }

  private static func value(of scalar: Unicode.Scalar) -> UInt8? {
    guard scalar.isASCII else { return nil }
    let character = UInt8(scalar.value) & (scalar.properties.isAlphabetic ? 0xDF : 0xFF)
    return switch character {
    case UInt8(ascii: "I"), UInt8(ascii: "L"): 1
    case UInt8(ascii: "O"): 0
    default: alphabet.firstIndex(of: character).map(UInt8.init)
    }
  }
}

extension RecoveryCode: CustomStringConvertible, CustomReflectable {
  /// Always `<redacted>`.
  public var description: String { "<redacted>" }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
