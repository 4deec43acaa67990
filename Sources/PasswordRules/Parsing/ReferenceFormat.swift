/// An output format of the reference parser.
///
/// Unlike that of ``PasswordRuleSet/descriptor``, its text does not always parse to the same rules.
public enum ReferenceFormat: Sendable {
  /// The default form, which always includes `allowed`, with every required class.
  case canonical
  /// The minified form, which omits implied rules.
  case minified

  /// Returns the output of the reference parser for a descriptor, which omits invalid text.
  ///
  /// - Complexity: Linear in the length of the descriptor.
  public func text(for descriptor: String) -> String {
    var rules: [String] = []
    var allowed: [CharacterClass] = []
    var limits: [PasswordRule.Name: Double] = [:]
    for (rule, number) in DescriptorParser.parseLeniently(descriptor) {
      switch rule {
      case .required(let classes):
        let classes = Alphabet(classes).classes
        rules.append("required: \(text(of: classes))")
        if self == .canonical { allowed += classes }
      case .allowed(let classes): allowed += classes
      case .minLength where number > 0:
        limits[.minLength] = max(number, limits[.minLength] ?? number)
      default:
        let name = rule.parts.name
        if number > 0 { limits[name] = min(number, limits[name] ?? number) }
      }
    }
    allowed = Alphabet(allowed).classes
    if allowed.isEmpty, self == .canonical { allowed = [.asciiPrintable] }
    if !allowed.isEmpty { rules.append("allowed: \(text(of: allowed))") }
    for name in PasswordRule.Name.limits {
      if let value = limits[name] { rules.append("\(name.rawValue): \(value.asInJavaScript)") }
    }
    return rules.map { "\($0);" }.joined(separator: " ")
  }

  private func text(of classes: [CharacterClass]) -> String {
    classes.map { characterClass in
      guard case .custom(let characters) = characterClass else { return characterClass.name }
      let special = characters.intersection(.special).description
      let alphanumeric = [PrintableCharacters.upper, .lower, .digits]
        .map { characters.intersection($0).description }.joined()
      return "[\(alphanumeric)\(self == .minified ? special.inLiteralOrder : special)]"
    }.joined(separator: ", ")
  }
}

extension Double {
  /// The string that `Number.prototype.toString` of ECMA-262 returns for a nonnegative integer.
  fileprivate var asInJavaScript: String {
    if self == .infinity { return "Infinity" }
    // Swift prints the same digits, but uses an exponent for numbers from 2^53.
    let parts = description.split(separator: "e", maxSplits: 1)
    let mantissa = parts[0].split(separator: ".", maxSplits: 1)
    let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : mantissa[0].count - 1
    if exponent >= 21 { return description }
    var digits = mantissa.joined()
    while digits.count > 1, digits.last == "0" { digits.removeLast() }
    return digits + String(repeating: "0", count: max(0, exponent + 1 - digits.count))
  }
}
