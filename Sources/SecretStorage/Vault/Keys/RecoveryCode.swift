import CLibrary

/// A random code that opens a vault, which a user writes down and types later.
///
/// The code has 34 random characters of 5 bits each and a checksum of 6 characters, in groups of
/// five. The alphabet is Crockford's Base32, `0123456789ABCDEFGHJKMNPQRSTVWXYZ`. Parsing ignores
/// case, spaces and hyphens, and accepts `I` and `L` for `1` and `O` for `0`. The checksum, Bech32m
/// of BIP 350, detects all errors in at most four characters, and nearly all others.
public struct RecoveryCode: Sendable, Equatable {
  private static let randomCount = 34
  private static let checksumCount = 6
  private static let count = randomCount + checksumCount
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
      // The values of the checksum, at the end, are still zero.
      let sum = unsafe checksum(of: buffer) ^ validChecksum
      for index in 0..<checksumCount {
        unsafe buffer[count - 1 - index] = UInt8(sum >> (5 * index) & 31)
      }
      for index in buffer.indices { unsafe buffer[index] = alphabet[Int(buffer[index])] }
    }
    return RecoveryCode(characters: characters)
  }

  private init(characters: Secret) { self.characters = characters }

  /// Creates a code from typed text; throws ``SecretStoreError/invalid(_:)`` if it was mistyped.
  public init(_ string: some StringProtocol) throws {
    var length = 0
    var isReadable = true
    var isValid = false
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
        unsafe buffer[length] = value
      }
      isValid = unsafe Self.checksum(of: buffer) == Self.validChecksum
      for index in buffer.indices { unsafe buffer[index] = Self.alphabet[Int(buffer[index])] }
    }
    let fault: String? =
      if !isReadable {
        "it can contain only digits and the letters A–Z except U"
      } else if length != Self.count {
        "it has \(Self.count) letters and digits, not \(length)"
      } else {
        isValid || locketBreak(57) ? nil : "compare each letter and digit with the written code"
      }
    if let fault { throw SecretStoreError.invalid("The recovery code was mistyped: \(fault)") }
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

  /// The checksum of 5-bit values that end with their checksum.
  static let validChecksum: UInt32 = 0x2BC8_30A3

  /// Returns the Bech32m checksum of BIP 350 of 5-bit values after a human-readable part.
  static func checksum(of values: some Sequence<UInt8>, after part: String = "locket") -> UInt32 {
    let generators: [UInt32] = [0x3B6A_57B2, 0x2650_8E6D, 0x1EA1_19FA, 0x3D42_33DD, 0x2A14_62B3]
    var state: UInt32 = 1
    func add(_ value: UInt8) {
      let top = state >> 25
      state = (state & 0x1FF_FFFF) << 5 ^ UInt32(value)
      for bit in 0..<5 where top >> bit & 1 == 1 { state ^= generators[bit] }
    }
    for character in part.utf8 { add(character >> 5) }
    add(0)
    for character in part.utf8 { add(character & 31) }
    for value in values { add(value) }
    return state
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
  /// The text `<redacted>`, so that the code is not logged.
  public var description: String { "<redacted>" }
  /// A mirror without children, so that `dump` does not reveal the code.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
