extension PasswordRuleDifference: CustomStringConvertible {
  /// What is otherwise, in English, to be joined with others by semicolons.
  public var description: String {
    switch self {
    case .requires(let classes, let count):
      "now also requires \(Self.text(of: classes, count))"
    case .requiresNoMore(let classes, let count):
      "requires no more \(Self.text(of: classes, count))"
    case .allows(let classes): "now also allows \(Self.list(classes))"
    case .allowsNoMore(let classes): "allows no more \(Self.list(classes))"
    case .limit(let limit, let old, let new): Self.text(of: limit, from: old, to: new)
    }
  }

  private static func text(of limit: Limit, from old: Int?, to new: Int?) -> String {
    let name =
      switch limit {
      case .minLength: "at least"
      case .maxLength: "at most"
      case .repeating: "equal characters in a row: at most"
      case .sequential: "neighbouring characters in a row: at most"
      }
    return switch (old, new) {
    case (let old?, let new?): "\(name) \(new) instead of \(old)"
    case (nil, let new?): "\(name) \(new) instead of any number"
    case (let old, nil): "\(name) any number instead of \(old ?? 0)"
    }
  }

  private static func text(of classes: [CharacterClass], _ count: Int) -> String {
    let names = classes.map(\.singular).joined(separator: " or ")
    return count == 1 ? names : "\(names), \(count) times"
  }

  private static func list(_ classes: [CharacterClass]) -> String {
    classes.map(\.plural).joined(separator: ", ")
  }
}

extension CharacterClass {
  fileprivate var singular: String {
    switch self {
    case .upper: "a capital letter"
    case .lower: "a small letter"
    case .digits: "a digit"
    case .special: "a special character"
    case .asciiPrintable: "a printable ASCII character"
    case .unicode: "any character"
    case .custom: "one of \(name)"
    }
  }

  fileprivate var plural: String {
    switch self {
    case .upper: "capital letters"
    case .lower: "small letters"
    case .digits: "digits"
    case .special: "special characters"
    case .asciiPrintable: "all printable ASCII characters"
    case .unicode: "all of Unicode"
    case .custom: name
    }
  }
}
