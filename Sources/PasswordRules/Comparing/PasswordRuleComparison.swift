/// A comparison of two rule sets by the passwords that they accept and by their rules.
public struct PasswordRuleComparison: Hashable, Sendable {
  /// The relation between the sets of accepted passwords.
  public enum Relation: Hashable, Sendable {
    /// Both accept the same passwords.
    case equal
    /// The second accepts every password that the first accepts, but not vice versa.
    case stricter
    /// The first accepts every password that the second accepts, but not vice versa.
    case looser
    /// Each accepts passwords that the other rejects.
    case incomparable
  }

  /// A shortest password that satisfies only the first, if there is one.
  public let onlyFirst: String?
  /// A shortest password that satisfies only the second, if there is one.
  public let onlySecond: String?
  /// The differences between the rules, which do not necessarily change the accepted passwords.
  public let differences: [PasswordRuleDifference]

  /// The relation of the first rule set to the second.
  public var relation: Relation {
    switch (onlyFirst, onlySecond) {
    case (nil, nil): .equal
    case (nil, _?): .stricter
    case (_?, nil): .looser
    case (_?, _?): .incomparable
    }
  }
}

extension PasswordRuleSet {
  /// Returns a comparison of this rule set, the first, with another, such as an earlier version.
  ///
  /// - Complexity: The time grows with the number of differing requirements and with the lengths.
  ///   It is a fraction of a second for the rules of typical sites.
  /// - Throws: ``PasswordRulesError/tooComplex(_:)``.
  public func compared(
    to other: PasswordRuleSet, matching mode: RequirementMatchingMode = .distinct
  ) throws -> PasswordRuleComparison {
    PasswordRuleComparison(
      onlyFirst: try ProductAutomaton(self, and: other, matching: mode).witness(),
      onlySecond: try ProductAutomaton(other, and: self, matching: mode).witness(),
      differences: differences(from: other))
  }

  private func differences(from other: PasswordRuleSet) -> [PasswordRuleDifference] {
    var differences: [PasswordRuleDifference] = []
    var seen = Set<Alphabet>()
    for requirement in requirements + other.requirements where seen.insert(requirement).inserted {
      let count = requirements.count { $0 == requirement }
      let otherCount = other.requirements.count { $0 == requirement }
      if count > otherCount {
        differences.append(.requires(requirement.classes, count: count - otherCount))
      } else if count < otherCount {
        differences.append(.noLongerRequires(requirement.classes, count: otherCount - count))
      }
    }
    if let more = alphabet.classes(without: other.alphabet) { differences.append(.allows(more)) }
    if let less = other.alphabet.classes(without: alphabet) {
      differences.append(.noLongerAllows(less))
    }
    for limit in PasswordRuleDifference.Limit.allCases {
      let (old, new) = (other.value(of: limit), value(of: limit))
      if old != new { differences.append(.limit(limit, from: old, to: new)) }
    }
    return differences
  }

  private func value(of limit: PasswordRuleDifference.Limit) -> Int? {
    switch limit {
    case .minLength: minLength
    case .maxLength: maxLength
    case .repeating: [maxRepeating, maxConsecutive].compactMap(\.self).min()
    case .sequential: [maxSequential, maxConsecutive].compactMap(\.self).min()
    }
  }
}

extension Alphabet {
  /// Returns classes of the characters that another alphabet lacks, or nil if it lacks none.
  fileprivate func classes(without other: Alphabet) -> [CharacterClass]? {
    if other.isSuperset(of: self) { return nil }
    guard case .printable(let own) = self, case .printable(let others) = other else {
      return [.unicode]
    }
    return Alphabet.printable(own.subtracting(others)).classes
  }
}

/// One difference between two rule sets.
public enum PasswordRuleDifference: Hashable, Sendable {
  /// The first rule set requires `count` more characters of these classes.
  case requires([CharacterClass], count: Int)
  /// The first rule set requires `count` fewer characters of these classes.
  case noLongerRequires([CharacterClass], count: Int)
  /// Only the first rule set allows these characters.
  case allows([CharacterClass])
  /// Only the second rule set allows these characters.
  case noLongerAllows([CharacterClass])
  /// The value of a limit in the second rule set and in the first; nil means no limit.
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
    let name =
      switch limit {
      case .minLength: "at least"
      case .maxLength: "at most"
      case .repeating: "equal characters in a row: at most"
      case .sequential: "sequential characters in a row: at most"
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
