/// One rule about passwords, as it stands between two semicolons of a descriptor.
public enum PasswordRule: Hashable, Sendable {
  /// At least one character must be of one of the classes.
  case required([CharacterClass])
  /// Characters of these classes may be used as well.
  case allowed([CharacterClass])
  /// The older name for ``maxRepeating(_:)`` and ``maxSequential(_:)`` at once.
  case maxConsecutive(Int)
  /// At most as many characters in a row are the same.
  case maxRepeating(Int)
  /// At most as many characters in a row are neighbours in A–Z, a–z or 0–9, upwards or downwards.
  case maxSequential(Int)
  /// The password has at least as many characters.
  case minLength(Int)
  /// The password has at most as many characters.
  case maxLength(Int)

  /// At least one character must be of one of the classes.
  public static func required(_ classes: CharacterClass...) -> PasswordRule { .required(classes) }

  /// Characters of these classes may be used as well.
  public static func allowed(_ classes: CharacterClass...) -> PasswordRule { .allowed(classes) }
}

extension PasswordRule {
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
