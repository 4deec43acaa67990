/// A class of characters in a password rule.
public enum CharacterClass: Hashable, Sendable {
  /// A to Z.
  case upper
  /// a to z.
  case lower
  /// 0 to 9, written as `digit` in a descriptor.
  case digits
  /// The 33 printable ASCII characters that are neither letters nor digits, including the space.
  case special
  /// All 95 printable ASCII characters, U+0020 to U+007E.
  case asciiPrintable
  /// All Unicode characters.
  case unicode
  /// A set of characters.
  case custom(PrintableCharacters)

  /// The characters of the class, or nil for all Unicode characters.
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

  /// The names of the classes in a descriptor.
  static let names: [(name: String, characterClass: CharacterClass)] = [
    ("upper", .upper), ("lower", .lower), ("digit", .digits), ("special", .special),
    ("ascii-printable", .asciiPrintable), ("unicode", .unicode),
  ]

  private static let byBytes = names.map { (bytes: Array($0.name.utf8), value: $0.characterClass) }

  /// Creates the class with a name of ASCII letters and hyphens, ignoring case.
  init?(named bytes: ArraySlice<UInt8>) {
    // The bit distinguishes uppercase from lowercase letters, and is set in a hyphen.
    let match = Self.byBytes.first { $0.bytes.elementsEqual(bytes) { $0 == $1 | 0x20 } }
    guard let match else { return nil }
    self = match.value
  }
}

extension CharacterClass {
  /// The class as written in a descriptor.
  var name: String {
    guard case .custom(let characters) = self else {
      return Self.names.first { $0.characterClass == self }?.name ?? ""
    }
    // A hyphen is literal only as the first character, and a bracket only as the last one.
    let text = characters.description
    let middle = text.filter { $0 != "-" && $0 != "]" }
    return "[\(text.contains("-") ? "-" : "")\(middle)\(text.contains("]") ? "]" : "")]"
  }
}

extension [CharacterClass] {
  /// The classes as written in a descriptor.
  var joinedNames: String { map(\.name).joined(separator: ", ") }
}
