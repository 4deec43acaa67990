/// A set of printable ASCII characters, U+0020 to U+007E.
///
/// A custom ``CharacterClass`` contains only such characters.
public struct PrintableCharacters: Hashable, Sendable {
  // A stored `UInt128` would have an alignment of 16 bytes, which makes arrays slow to allocate.
  private var low: UInt64 = 0
  private var high: UInt64 = 0

  /// The set as a bit mask, in which bit n stands for the character U+0020 + n.
  private var bits: UInt128 {
    get { UInt128(high) << 64 | UInt128(low) }
    set {
      low = UInt64(truncatingIfNeeded: newValue)
      high = UInt64(truncatingIfNeeded: newValue >> 64)
    }
  }

  private init(low: UInt64, high: UInt64) { (self.low, self.high) = (low, high) }

  private init(bits: UInt128) { self.bits = bits }

  /// Creates an empty set.
  public init() {}

  /// Creates the set of a string's characters, or returns nil if not all are printable ASCII.
  public init?(_ characters: some StringProtocol) {
    for byte in characters.utf8 where !insert(byte) { return nil }
  }

  /// Adds a character, or returns false if it is not printable ASCII.
  @discardableResult
  mutating func insert(_ byte: UInt8) -> Bool {
    guard byte.isPrintable else { return false }
    let bit = UInt64(byte - 0x20)
    if bit < 64 { low |= 1 << bit } else { high |= 1 << (bit - 64) }
    return true
  }

  // The compiler evaluates masks of 64 bits, so that these sets are constants in the program.
  /// The uppercase letters A to Z.
  public static let upper = PrintableCharacters(low: 0x3FF_FFFF << 33, high: 0)
  /// The lowercase letters a to z.
  public static let lower = PrintableCharacters(low: 0, high: 0x3FF_FFFF << 1)
  /// The digits 0 to 9.
  public static let digits = PrintableCharacters(low: 0x3FF << 16, high: 0)
  /// The 33 characters that are neither letters nor digits, including the space.
  public static let special = PrintableCharacters(
    low: ~(0x3FF_FFFF << 33 | 0x3FF << 16), high: 0x7FFF_FFFF ^ 0x3FF_FFFF << 1)
  /// All 95 printable ASCII characters.
  public static let all = PrintableCharacters(low: .max, high: 0x7FFF_FFFF)

  /// The number of characters.
  public var count: Int { bits.nonzeroBitCount }
  /// Whether the set is empty.
  public var isEmpty: Bool { bits == 0 }

  /// Returns whether the set contains a character.
  public func contains(_ scalar: Unicode.Scalar) -> Bool {
    guard (0x20...0x7E).contains(scalar.value) else { return false }
    let bit = scalar.value - 0x20
    return (bit < 64 ? low : high) >> UInt64(bit % 64) & 1 == 1
  }

  /// Returns the characters that are in this set or the other.
  public func union(_ other: Self) -> Self { Self(bits: bits | other.bits) }
  /// Returns the characters that are in both sets.
  public func intersection(_ other: Self) -> Self { Self(bits: bits & other.bits) }
  /// Returns the characters of this set that are not in the other.
  public func subtracting(_ other: Self) -> Self { Self(bits: bits & ~other.bits) }
  /// Returns whether this set contains all characters of the other.
  public func isSuperset(of other: Self) -> Bool { other.subtracting(self).isEmpty }
}

extension UInt8 {
  /// Whether the code unit is a printable ASCII character.
  var isPrintable: Bool { (0x20...0x7E).contains(self) }
}

extension PrintableCharacters: Sequence {
  /// Returns an iterator over the characters in ASCII order.
  public func makeIterator() -> UnfoldSequence<Unicode.Scalar, UInt128> {
    sequence(state: bits) { bits in
      guard bits != 0 else { return nil }
      defer { bits &= bits - 1 }
      return Unicode.Scalar(UInt8(bits.trailingZeroBitCount) + 0x20)
    }
  }
}

extension PrintableCharacters: ExpressibleByStringLiteral {
  /// Creates the set of a literal's characters, all of which must be printable ASCII.
  public init(stringLiteral value: String) {
    guard let characters = Self(value) else {
      fatalError("A character class can contain only printable ASCII characters: \(value).")
    }
    self = characters
  }
}

extension PrintableCharacters: CustomStringConvertible {
  /// The characters in ASCII order.
  public var description: String { String(String.UnicodeScalarView(self)) }
}
