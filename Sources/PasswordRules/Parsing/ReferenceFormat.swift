/// Prints what the reference parser makes of a descriptor, in its two forms.
///
/// Its default form adds what follows from the rules, its minified form does not. Neither is read back
/// to the same rules in every case; ``PasswordRuleSet`` prints what is.
public enum ReferenceFormat: Sendable {
  /// The canonical form: `allowed` has every class that is required, and is never left out.
  case canonical
  /// The canonical form as short as it can be.
  case minified

  /// The reference parser's text for a descriptor; what it does not understand, it drops silently.
  ///
  /// - Complexity: Linear in the length of the descriptor.
  public func text(for descriptor: String) -> String {
    var required: [String] = []
    var allowed: [CharacterClass] = []
    var limits: [PasswordRule.Name: Double] = [:]
    for rule in ReferenceParser.rules(in: descriptor) {
      switch rule {
      case .classes(.required, let classes):
        let list = ReferenceList(classes)
        required.append("required: \(list.text(self))")
        if self == .canonical { allowed += list.classes }
      case .classes(_, let classes):
        allowed += classes
      case .number(.minLength, let value):
        limits[.minLength] = max(value, limits[.minLength] ?? value)
      case .number(let name, let value):
        limits[name] = min(value, limits[name] ?? value)
      }
    }
    var list = ReferenceList(allowed)
    if list.classes.isEmpty, self == .canonical { list = ReferenceList([.asciiPrintable]) }
    var rules = required
    if !list.classes.isEmpty { rules.append("allowed: \(list.text(self))") }
    for name in [
      PasswordRule.Name.maxConsecutive, .maxRepeating, .maxSequential, .minLength, .maxLength,
    ] {
      if let value = limits[name] { rules.append("\(name.rawValue): \(value.asInJavaScript)") }
    }
    return rules.isEmpty ? "" : rules.joined(separator: "; ") + ";"
  }
}

/// A list of classes as the reference parser joins and orders it.
private struct ReferenceList {
  let classes: [CharacterClass]

  init(_ list: [CharacterClass]) {
    classes = Alphabet(list).classes
  }

  func text(_ format: ReferenceFormat) -> String {
    classes.map { characterClass in
      switch characterClass {
      case .custom(let characters): "[\(Self.text(of: characters, format))]"
      default: CharacterClass.names.first { $0.characterClass == characterClass }?.name ?? ""
      }
    }.joined(separator: ", ")
  }

  private static func text(of characters: PrintableCharacters, _ format: ReferenceFormat) -> String
  {
    var special = characters.intersection(.special).description
    if format == .minified {
      let (hyphen, bracket) = (special.contains("-"), special.contains("]"))
      special =
        (hyphen ? "-" : "") + special.filter { $0 != "-" && $0 != "]" } + (bracket ? "]" : "")
    }
    let alphanumeric = [PrintableCharacters.upper, .lower, .digits]
      .map { characters.intersection($0).description }.joined()
    return alphanumeric + special
  }
}

extension Double {
  /// As `Number.prototype.toString` of ECMA-262 prints a number that is whole and not negative.
  fileprivate var asInJavaScript: String {
    if self == .infinity { return "Infinity" }
    // Swift's digits are the shortest as well, but with an exponent from 2^53 on.
    let parts = description.split(separator: "e", maxSplits: 1)
    let mantissa = parts[0].split(separator: ".", maxSplits: 1)
    let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : mantissa[0].count - 1
    var digits = mantissa.joined()
    while digits.count > 1, digits.last == "0" { digits.removeLast() }
    if exponent < 21 {
      return digits + String(repeating: "0", count: max(0, exponent + 1 - digits.count))
    }
    let fraction = digits.count > 1 ? ".\(digits.dropFirst())" : ""
    return "\(digits.prefix(1))\(fraction)e+\(exponent)"
  }
}
