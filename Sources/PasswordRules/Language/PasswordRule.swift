/// One rule for passwords, such as `required: upper` or `minlength: 12`.
public enum PasswordRule: Hashable, Sendable {
  /// The password must contain a character of at least one of these classes.
  case required([CharacterClass])
  /// The password can also contain characters of these classes.
  case allowed([CharacterClass])
  /// The maximum number of equal or sequential characters in a row, an older rule that combines
  /// ``maxRepeating(_:)`` and ``maxSequential(_:)``.
  case maxConsecutive(Int)
  /// The maximum number of equal characters in a row.
  case maxRepeating(Int)
  /// The maximum number of characters in a row that ascend or descend in A–Z, a–z or 0–9.
  case maxSequential(Int)
  /// The minimum number of characters.
  case minLength(Int)
  /// The maximum number of characters.
  case maxLength(Int)

  /// Returns a rule that requires at least one character of one of the classes.
  public static func required(_ classes: CharacterClass...) -> PasswordRule { .required(classes) }

  /// Returns a rule that allows the characters of these classes.
  public static func allowed(_ classes: CharacterClass...) -> PasswordRule { .allowed(classes) }
}

extension PasswordRule {
  /// Returns the rule that sets a limit.
  static func limit(_ name: Name, _ value: Int) -> PasswordRule {
    switch name {
    case .required, .allowed: preconditionFailure("The rule \(name.rawValue) has no limit.")
    case .maxConsecutive: .maxConsecutive(value)
    case .maxRepeating: .maxRepeating(value)
    case .maxSequential: .maxSequential(value)
    case .minLength: .minLength(value)
    case .maxLength: .maxLength(value)
    }
  }

  /// The name of the rule, and its limit unless it has classes.
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

    /// The names of the rules with a limit.
    static let limits = allCases.dropFirst(2)

    init?(_ bytes: ArraySlice<UInt8>) {
      self.init(rawValue: String(decoding: bytes, as: UTF8.self))
    }
  }
}

extension PasswordRule: CustomStringConvertible {
  /// The rule as text in a descriptor, without the semicolon.
  public var description: String {
    let (name, limit) = parts
    let value =
      switch self {
      case .required(let classes), .allowed(let classes): classes.joinedNames
      default: limit.map(String.init) ?? ""
      }
    return "\(name.rawValue): \(value)"
  }
}

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

  /// Creates the class with a name of ASCII letters and hyphens, ignoring case.
  init?(named bytes: ArraySlice<UInt8>) {
    let name = String(decoding: bytes, as: UTF8.self).lowercased()
    guard let known = Self.names.first(where: { $0.name == name }) else { return nil }
    self = known.characterClass
  }
}

extension [CharacterClass] {
  /// The classes as text in a descriptor.
  var joinedNames: String { map(\.name).joined(separator: ", ") }
}

extension CharacterClass {
  /// The class as text in a descriptor.
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
