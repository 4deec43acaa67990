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

  /// The names of the classes in a descriptor, with the keys by which they are found.
  static let names: [(name: String, key: UInt128, characterClass: CharacterClass)] = [
    ("upper", .upper), ("lower", .lower), ("digit", .digits), ("special", .special),
    ("ascii-printable", .asciiPrintable), ("unicode", .unicode),
  ].map { ($0, $0.nameKey, $1) }
}

extension CharacterClass {
  /// The class as written in a descriptor.
  var name: String {
    guard case .custom(let characters) = self else {
      return Self.names.first { $0.characterClass == self }?.name ?? ""
    }
    return "[\(characters.description.inLiteralOrder)]"
  }
}

extension String {
  /// The characters of a class with the hyphen first and the bracket last, where these are literal.
  var inLiteralOrder: String {
    let middle = filter { $0 != "-" && $0 != "]" }
    return (contains("-") ? "-" : "") + middle + (contains("]") ? "]" : "")
  }
}

extension [CharacterClass] {
  var joinedNames: String { map(\.name).joined(separator: ", ") }
}
