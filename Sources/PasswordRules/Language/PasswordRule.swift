/// One rule for passwords, such as `required: upper` or `minlength: 12`.
public enum PasswordRule: Hashable, Sendable {
  /// The password must contain a character of at least one of these classes.
  case required([CharacterClass])
  /// The password can also contain characters of these classes.
  case allowed([CharacterClass])
  /// The maximum number of equal or sequential characters in a row, an older rule.
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

  var parts: (name: Name, classes: [CharacterClass], limit: Int?) {
    switch self {
    case .required(let classes): (.required, classes, nil)
    case .allowed(let classes): (.allowed, classes, nil)
    case .maxConsecutive(let limit): (.maxConsecutive, [], limit)
    case .maxRepeating(let limit): (.maxRepeating, [], limit)
    case .maxSequential(let limit): (.maxSequential, [], limit)
    case .minLength(let limit): (.minLength, [], limit)
    case .maxLength(let limit): (.maxLength, [], limit)
    }
  }

  /// The name of a kind of rule in a descriptor.
  enum Name: String, CaseIterable {
    case required
    case allowed
    case maxConsecutive = "max-consecutive"
    case maxRepeating = "max-repeating"
    case maxSequential = "max-sequential"
    case minLength = "minlength"
    case maxLength = "maxlength"

    static let limits = allCases.dropFirst(2)
    /// The keys of all names, in the order of `allCases`.
    static let keys = allCases.map(\.rawValue.nameKey)
  }
}

extension PasswordRule: CustomStringConvertible {
  /// The rule as written in a descriptor, without a semicolon.
  public var description: String {
    let (name, classes, limit) = parts
    return "\(name.rawValue): \(limit.map(String.init) ?? classes.joinedNames)"
  }
}
