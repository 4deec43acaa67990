/// A random code that opens a vault, for a person to write down and to type one day.
///
/// It has 40 letters and digits in groups of five: 34 random ones, of 5 bits each, and 6 that tell
/// whether it was typed as it was written. They are Crockford's base 32, `0123456789` and
/// `ABCDEFGHJKMNPQRSTVWXYZ`; read back, capital and small letters are the same, `I` and `L` are `1`, and
/// `O` is `0`. Spaces and hyphens count nothing.
///
/// The 6 are the checksum of BIP 350 over the values of the 34, with `locket` as the human-readable
/// part. It catches up to four wrong characters wherever they are, and so any single one and any
/// two neighbours that were swapped; of other mistakes it misses one in 2^30.
public struct RecoveryCode: Sendable, Equatable {
  private static let randomCount = 34
  private static let count = randomCount + CodeChecksum.count
  private static let groupCount = 5
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

  /// The code in capital letters and digits of the alphabet, without hyphens; the key of its slot.
  let characters: Secret

  /// Makes a new code.
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

  /// Reads a code as a person typed it.
  ///
  /// That it is the code of a vault is only known when it opens one.
  ///
  /// - Throws: ``SecretStoreError/invalid(_:)`` when it was mistyped.
  public init(_ text: some StringProtocol) throws(SecretStoreError) {
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
      throw .invalid(
        "The recovery code was mistyped: it has only letters, but no U, and digits in it")
    }
    guard length == Self.count else {
      throw .invalid(
        "The recovery code was mistyped: it has \(Self.count) letters and digits, not \(length)")
    }
    guard checksum.isRight else {
      throw .invalid(
        "The recovery code was mistyped: compare each letter and digit with what was written down")
    }
  }

  /// Gives a closure the code as it is shown to a person, in groups of five with hyphens between.
  ///
  /// Swift copies a `String` as it likes and does not overwrite it: show it, and keep it nowhere.
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
  /// Whether a person may put it between the characters of a code, or a word processor did.
  fileprivate var isIgnored: Bool {
    properties.isWhitespace || properties.generalCategory == .dashPunctuation
  }

  /// What a character of a code stands for; nil when it is none.
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

extension RecoveryCode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Always `<redacted>`.
  public var description: String { "<redacted>" }
  /// Always `<redacted>`.
  public var debugDescription: String { description }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
