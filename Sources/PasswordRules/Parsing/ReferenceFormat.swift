/// An output format of the reference parser.
///
/// Unlike ``PasswordRuleSet/descriptor``, such a text does not always parse to the same rules.
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
    var allowed = ClassUnion()
    var limits: [PasswordRule.Name: Double] = [:]
    for rule in DescriptorParser.parseLeniently(descriptor) {
      let (name, number) = (rule.name, rule.number)
      switch name {
      case .required:
        let required = rule.union.alphabet
        rules.append("required: \(text(of: required.classes))")
        if self == .canonical { allowed.formUnion(required) }
      case .allowed: allowed.formUnion(rule.union)
      case .minLength where number > 0:
        limits[.minLength] = max(number, limits[.minLength] ?? number)
      default: if number > 0 { limits[name] = min(number, limits[name] ?? number) }
      }
    }
    var classes = allowed.alphabet.classes
    if classes.isEmpty, self == .canonical { classes = [.asciiPrintable] }
    if !classes.isEmpty { rules.append("allowed: \(text(of: classes))") }
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
