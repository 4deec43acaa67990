/// A difference between a new rule set, the first, and an old one, the second.
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
    case .allows(let classes): "now also allows \(classes.map(\.plural).joined(separator: ", "))"
    case .noLongerAllows(let classes):
      "no longer allows \(classes.map(\.plural).joined(separator: ", "))"
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
    let names = classes.map(\.singular).joined(separator: " or ")
    if count == 1 { return names }
    return "\(count) more of: \(classes.map(\.plural).joined(separator: ", "))"
  }
}

extension CharacterClass {
  fileprivate var singular: String {
    switch self {
    case .upper: "an uppercase letter"
    case .lower: "a lowercase letter"
    case .digits: "a digit"
    case .special: "a special character"
    case .asciiPrintable: "a printable ASCII character"
    case .unicode: "any character"
    case .custom: "one of \(name)"
    }
  }

  fileprivate var plural: String {
    switch self {
    case .upper: "uppercase letters"
    case .lower: "lowercase letters"
    case .digits: "digits"
    case .special: "special characters"
    case .asciiPrintable: "all printable ASCII characters"
    case .unicode: "all Unicode characters"
    case .custom: name
    }
  }
}
