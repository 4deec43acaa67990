/// A class of characters, as a rule names it.
public enum CharacterClass: Hashable, Sendable {
  /// A to Z.
  case upper
  /// a to z.
  case lower
  /// 0 to 9; the language writes `digit`.
  case digits
  /// The 33 printable ASCII characters that are neither letters nor digits, the space included.
  case special
  /// All 95 printable ASCII characters, U+0020 to U+007E.
  case asciiPrintable
  /// Every character.
  case unicode
  /// These characters.
  case custom(PrintableCharacters)

  /// Its characters, as far as they can be listed; nil stands for every character there is.
  public var characters: PrintableCharacters? {
    switch self {
    case .upper: .upper
    case .lower: .lower
    case .digits: .digits
    case .special: .special
    case .asciiPrintable: .all
    case .unicode: nil
    case .custom(let characters): characters
    }
  }

  static let names: [(name: String, characterClass: CharacterClass)] = [
    ("upper", .upper), ("lower", .lower), ("digit", .digits), ("special", .special),
    ("ascii-printable", .asciiPrintable), ("unicode", .unicode),
  ]

  private static let spellings = names.map { name, characterClass in
    (bytes: Array(name.utf8), characterClass: characterClass)
  }

  /// The class of a name of letters and hyphens, whose case does not matter.
  init?(named written: ArraySlice<UInt8>) {
    // Of these, only capitals change with the bit.
    let known = Self.spellings.first { $0.bytes.elementsEqual(written) { $0 == $1 | 0x20 } }
    guard let known else { return nil }
    self = known.characterClass
  }
}
