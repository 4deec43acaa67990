/// One rule about passwords, as written between two semicolons of a descriptor.
public enum PasswordRule: Hashable, Sendable {
  /// At least one character must be of one of the classes.
  case required([CharacterClass])
  /// Characters of these classes are also allowed.
  case allowed([CharacterClass])
  /// The older name for ``maxRepeating(_:)`` and ``maxSequential(_:)`` together.
  case maxConsecutive(Int)
  /// The maximum number of equal characters in a row.
  case maxRepeating(Int)
  /// The maximum number of neighbours in A–Z, a–z or 0–9 in a row, ascending or descending.
  case maxSequential(Int)
  /// The minimum number of characters.
  case minLength(Int)
  /// The maximum number of characters.
  case maxLength(Int)

  /// Returns a rule that requires at least one character of one of the classes.
  public static func required(_ classes: CharacterClass...) -> PasswordRule { .required(classes) }

  /// Returns a rule that also allows the characters of these classes.
  public static func allowed(_ classes: CharacterClass...) -> PasswordRule { .allowed(classes) }
}

extension PasswordRule {
  /// Returns the rule of a limit.
  static func limit(_ name: Name, _ value: Int) -> PasswordRule {
    switch name {
    case .required, .allowed: preconditionFailure("A rule of classes has no limit.")
    case .maxConsecutive: .maxConsecutive(value)
    case .maxRepeating: .maxRepeating(value)
    case .maxSequential: .maxSequential(value)
    case .minLength: .minLength(value)
    case .maxLength: .maxLength(value)
    }
  }

  /// The name of the rule and, unless it has classes, its limit.
  var parts: (name: Name, limit: Int?) {
    switch self {
    case .required: (.required, nil)
    case .allowed: (.allowed, nil)
    case .maxConsecutive(let limit): (.maxConsecutive, limit)
    case .maxRepeating(let limit): (.maxRepeating, limit)
    case .maxSequential(let limit): (.maxSequential, limit)
    case .minLength(let limit): (.minLength, limit)
    case .maxLength(let limit): (.maxLength, limit)
    }
  }

  /// The names of the rules in the language.
  enum Name: String, CaseIterable {
    case required
    case allowed
    case maxConsecutive = "max-consecutive"
    case maxRepeating = "max-repeating"
    case maxSequential = "max-sequential"
    case minLength = "minlength"
    case maxLength = "maxlength"

    private static let spellings = allCases.map { (bytes: Array($0.rawValue.utf8), name: $0) }

    init?(_ written: ArraySlice<UInt8>) {
      guard let known = Self.spellings.first(where: { $0.bytes.elementsEqual(written) }) else {
        return nil
      }
      self = known.name
    }
  }
}

/// A class of characters in a rule.
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

  /// The characters of the class; nil for every Unicode character.
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

  /// Creates the class with a name of letters and hyphens, ignoring case.
  init?(named written: ArraySlice<UInt8>) {
    // Of these, the bit changes only capitals.
    let known = Self.spellings.first { $0.bytes.elementsEqual(written) { $0 == $1 | 0x20 } }
    guard let known else { return nil }
    self = known.characterClass
  }
}
