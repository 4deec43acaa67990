/// One difference of a new rule set, the first, from an old one, the second.
public enum PasswordRuleDifference: Hashable, Sendable {
  /// The new rule set requires `count` more characters of these classes.
  case requires([CharacterClass], count: Int)
  /// The new rule set requires `count` fewer characters of these classes.
  case noLongerRequires([CharacterClass], count: Int)
  /// Only the new rule set allows these characters.
  case allows([CharacterClass])
  /// Only the old rule set allows these characters.
  case noLongerAllows([CharacterClass])
  /// The value of a limit in the old rule set and in the new one; nil means no limit.
  case limit(Limit, from: Int?, to: Int?)

  /// The kind of a limit.
  public enum Limit: Hashable, Sendable, CaseIterable {
    /// The minimum length.
    case minLength
    /// The maximum length.
    case maxLength
    /// The maximum number of equal characters in a row.
    case repeating
    /// The maximum number of sequential characters in a row.
    case sequential
  }
}

extension PasswordRuleDifference: CustomStringConvertible {
  /// The difference as an English phrase without a period.
  public var description: String {
    switch self {
    case .requires(let classes, let count): "now also requires \(Self.text(of: classes, count))"
    case .noLongerRequires(let classes, let count):
      "no longer requires \(Self.text(of: classes, count))"
    case .allows(let classes): "now also allows \(Self.list(classes))"
    case .noLongerAllows(let classes): "no longer allows \(Self.list(classes))"
    case .limit(let limit, let old, let new): Self.text(of: limit, from: old, to: new)
    }
  }

  private static func text(of limit: Limit, from old: Int?, to new: Int?) -> String {
    let (bound, kind, suffix) =
      switch limit {
      case .minLength: ("at least", "", "")
      case .maxLength: ("at most", "", "")
      case .repeating: ("at most", "equal ", " in a row")
      case .sequential: ("at most", "sequential ", " in a row")
      }
    let characters = kind + (new == 1 ? "character" : "characters") + suffix
    guard let new else {
      return "any number of \(characters)" + (old.map { " instead of \(bound) \($0)" } ?? "")
    }
    return "\(bound) \(new) \(characters) instead of \(old.map(String.init) ?? "any number")"
  }

  private static func text(of classes: [CharacterClass], _ count: Int) -> String {
    count == 1
      ? classes.map { $0.english.one }.joined(separator: " or ")
      : "\(count) more of: \(list(classes))"
  }

  private static func list(_ classes: [CharacterClass]) -> String {
    classes.map { $0.english.all }.joined(separator: ", ")
  }
}

extension CharacterClass {
  fileprivate var english: (one: String, all: String) {
    switch self {
    case .upper: ("an uppercase letter", "uppercase letters")
    case .lower: ("a lowercase letter", "lowercase letters")
    case .digits: ("a digit", "digits")
    case .special: ("a special character", "special characters")
    case .asciiPrintable: ("a printable ASCII character", "all printable ASCII characters")
    case .unicode: ("any character", "all Unicode characters")
    case .custom: ("one of \(name)", name)
    }
  }
}
