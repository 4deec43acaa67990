/// A random code that opens a vault, for a person to write down and type later.
///
/// It has 40 letters and digits in groups of five: 34 random ones, of 5 bits each, and 6 of a
/// checksum. The alphabet is Crockford's base 32, `0123456789` and `ABCDEFGHJKMNPQRSTVWXYZ`.
/// Reading ignores case, spaces and hyphens, and reads `I` and `L` as `1`, and `O` as `0`.
///
/// The checksum is that of BIP 350 over the values of the 34, with `locket` as the human-readable
/// part. It detects up to four wrong characters in any positions, and thus any two swapped
/// neighbours. Of all other errors, it misses one in 2^30.
public struct RecoveryCode: Sendable, Equatable {
  private static let randomCount = 34
  private static let count = randomCount + CodeChecksum.count
  private static let groupCount = 5
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

  /// The code in capital letters and digits of the alphabet, without hyphens; the key of its slot.
  let characters: Secret

  /// Generates a new code.
  static func random() throws(SecretStoreError) -> RecoveryCode {
    let bytes = try Secret.random(randomCount)
    let characters = unsafe Secret(count: count) { buffer in
      unsafe bytes.withUnsafeBytes { bytes in
        for index in bytes.indices { unsafe buffer[index] = bytes[index] & 31 }
      }
      var checksum = CodeChecksum(of: "locket")
      for index in 0..<randomCount { checksum.add(unsafe buffer[index]) }
      for index in 0..<CodeChecksum.count {
        unsafe buffer[randomCount + index] = checksum.finished(index)
      }
      for index in buffer.indices { unsafe buffer[index] = alphabet[Int(buffer[index])] }
    }
    return RecoveryCode(characters: characters)
  }

  private init(characters: Secret) {
    self.characters = characters
  }

  /// Reads a code that a person typed.
  ///
  /// Only opening a vault shows whether it is the code of that vault.
  ///
  /// - Throws: ``SecretStoreError/invalid(_:)`` when it was mistyped.
  public init(_ text: some StringProtocol) throws {
    var length = 0
    var isReadable = true
    var checksum = CodeChecksum(of: "locket")
    characters = unsafe Secret(count: Self.count) { buffer in
      for scalar in text.unicodeScalars where !scalar.isIgnored {
        defer { length += 1 }
        guard length < Self.count else { continue }
        guard let value = scalar.value(in: Self.alphabet) else {
          isReadable = false
          continue
        }
        unsafe buffer[length] = Self.alphabet[Int(value)]
        checksum.add(value)
      }
    }
    guard isReadable else {
      throw SecretStoreError.invalid(
        "The recovery code was mistyped: it consists of digits and of letters other than U")
    }
    guard length == Self.count else {
      throw SecretStoreError.invalid(
        "The recovery code was mistyped: it has \(Self.count) letters and digits, not \(length)")
    }
    guard checksum.isRight else {
      throw SecretStoreError.invalid(
        "The recovery code was mistyped: compare each letter and digit with the written code")
    }
  }

  /// Calls a closure with the code for display, in groups of five separated by hyphens.
  ///
  /// Swift may copy a `String` and does not overwrite it: display the text, and do not store it.
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
}

extension Unicode.Scalar {
  /// Whether a person or a word processor may insert the scalar between the characters of a code.
  fileprivate var isIgnored: Bool {
    properties.isWhitespace || properties.generalCategory == .dashPunctuation
  }

  /// Returns the value of a character of a code; nil for any other character.
  fileprivate func value(in alphabet: [UInt8]) -> UInt8? {
    guard isASCII else { return nil }
    let character = UInt8(value) & (properties.isAlphabetic ? 0xDF : 0xFF)
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

/// The checksum of BIP 350 over 5-bit numbers, a BCH code whose words of up to 90 numbers differ in
/// at least five.
struct CodeChecksum {
  static let count = 6

  private static let generators: [UInt32] = [
    0x3B6A_57B2, 0x2650_8E6D, 0x1EA1_19FA, 0x3D42_33DD, 0x2A14_62B3,
  ]
  private static let constant: UInt32 = 0x2BC8_30A3

  private var state: UInt32 = 1

  /// Starts with the human-readable part, which separates codes of different uses.
  init(of use: String) {
    for character in use.utf8 { add(character >> 5) }
    add(0)
    for character in use.utf8 { add(character & 31) }
  }

  mutating func add(_ value: UInt8) {
    let top = state >> 25
    state = (state & 0x1FF_FFFF) << 5 ^ UInt32(value)
    for bit in 0..<5 where top >> bit & 1 == 1 { state ^= Self.generators[bit] }
  }

  /// Returns one number of the checksum that follows the added numbers.
  func finished(_ index: Int) -> UInt8 {
    var copy = self
    for _ in 0..<Self.count { copy.add(0) }
    return UInt8((copy.state ^ Self.constant) >> (5 * UInt32(Self.count - 1 - index)) & 31)
  }

  /// Whether the last added numbers are the checksum of the others.
  var isRight: Bool { state == Self.constant }
}
