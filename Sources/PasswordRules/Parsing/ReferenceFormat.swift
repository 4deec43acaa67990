/// An output format of the reference parser.
///
/// Parsing the output does not always yield the same rules. If that is needed, use
/// ``PasswordRuleSet/descriptor`` instead.
public enum ReferenceFormat: Sendable {
  /// The default form, which always includes `allowed`, with every required class.
  case canonical
  /// The minified form, which omits implied rules.
  case minified

  /// Returns the output of the reference parser for a descriptor, without any invalid text.
  ///
  /// - Complexity: Linear in the length of the descriptor.
  public func text(for descriptor: String) -> String {
    var required: [String] = []
    var allowed: [CharacterClass] = []
    var limits: [PasswordRule.Name: Double] = [:]
    for rule in LenientParser.rules(in: descriptor) {
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

/// A list of classes in the order of the reference parser.
private struct ReferenceList {
  let classes: [CharacterClass]

  init(_ classes: [CharacterClass]) {
    self.classes = Alphabet(classes).classes
  }

  func text(_ format: ReferenceFormat) -> String {
    classes.map { characterClass in
      switch characterClass {
      case .custom(let characters): "[\(Self.text(of: characters, format))]"
      default: characterClass.name
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
  /// The text of a nonnegative whole number, as `Number.prototype.toString` of ECMA-262 returns it.
  fileprivate var asInJavaScript: String {
    if self == .infinity { return "Infinity" }
    // Swift prints the same digits, but uses an exponent for numbers from 2^53.
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

/// An error in a descriptor, or a part whose meaning differs from its appearance.
public struct DescriptorIssue: Hashable, Sendable {
  /// The range of the text, in Unicode code points from the start.
  ///
  /// It is empty if text is missing.
  public let range: Range<Int>
  /// A sentence without the period that describes the problem and, for an error, the expected text.
  public let message: String
  /// The suggested replacement for the text, or nil if there is no suggestion.
  public let replacement: String?
}

/// A syntax error in a descriptor.
public struct DescriptorSyntaxError: Error, Hashable, Sendable {
  /// The first error in the descriptor.
  public let issue: DescriptorIssue
}

extension DescriptorSyntaxError: CustomStringConvertible {
  /// The position, the problem, and the solution.
  public var description: String {
    "At character \(issue.range.lowerBound + 1): \(issue)"
  }
}

extension DescriptorIssue: CustomStringConvertible {
  /// The problem and the solution.
  public var description: String {
    switch replacement {
    case nil: "\(message)."
    case ""?: "\(message). Remove it."
    case let replacement? where range.isEmpty: "\(message). Insert `\(replacement)`."
    case let replacement?: "\(message). Write `\(replacement)` instead."
    }
  }
}
