/// The two output forms of the reference parser.
///
/// Its default form adds implied rules, its minified form does not. Neither always parses to the
/// same rules; for that, use the output of ``PasswordRuleSet``.
public enum ReferenceFormat: Sendable {
  /// The canonical form: `allowed` contains every required class and is never omitted.
  case canonical
  /// The shortest canonical form.
  case minified

  /// Returns the reference parser's output for a descriptor; it silently drops unknown text.
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

/// A list of classes, joined and ordered as by the reference parser.
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
  /// A nonnegative whole number as `Number.prototype.toString` of ECMA-262 prints it.
  fileprivate var asInJavaScript: String {
    if self == .infinity { return "Infinity" }
    // Swift prints the shortest digits as well, but uses an exponent from 2^53 on.
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
  /// Its range, in Unicode code points from the start; empty for missing text.
  public let range: Range<Int>
  /// The problem and, for an error, the expected text: one sentence without its period.
  public let message: String
  /// The suggested replacement for the range, if there is one.
  public let replacement: String?
}

/// A syntax error in a descriptor.
public struct DescriptorSyntaxError: Error, Hashable, Sendable {
  /// The first error.
  public let issue: DescriptorIssue
}

extension DescriptorSyntaxError: CustomStringConvertible {
  /// The place, the problem and its solution.
  public var description: String {
    "At character \(issue.range.lowerBound + 1): \(issue)"
  }
}

extension DescriptorIssue: CustomStringConvertible {
  /// The problem and its solution.
  public var description: String {
    switch replacement {
    case nil: "\(message)."
    case ""?: "\(message). Leave it out."
    case let replacement? where range.isEmpty: "\(message). Insert `\(replacement)`."
    case let replacement?: "\(message). Write `\(replacement)` instead."
    }
  }
}
