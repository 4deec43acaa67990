/// The differences between two rule sets, in accepted passwords and in wording.
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
  /// The differences in wording, which may have no effect.
  public let differences: [PasswordRuleDifference]

  /// The relation of the first to the second.
  public var relation: Relation {
    switch (onlyFirst, onlySecond) {
    case (nil, nil): .equal
    case (nil, _?): .stricter
    case (_?, nil): .looser
    case (_?, _?): .incomparable
    }
  }
}

/// One difference between two rule sets.
public enum PasswordRuleDifference: Hashable, Sendable {
  /// A character of these classes is additionally required, `count` times.
  case requires([CharacterClass], count: Int)
  /// A character of these classes is no longer required, `count` times.
  case requiresNoMore([CharacterClass], count: Int)
  /// These characters are additionally allowed.
  case allows([CharacterClass])
  /// These characters are no longer allowed.
  case allowsNoMore([CharacterClass])
  /// A limit differs; nil means no limit.
  case limit(Limit, from: Int?, to: Int?)

  /// The kind of a limit.
  public enum Limit: Hashable, Sendable, CaseIterable {
    /// The minimum length.
    case minLength
    /// The maximum length.
    case maxLength
    /// Equal characters in a row.
    case repeating
    /// Neighbouring characters in a row.
    case sequential
  }
}

extension PasswordRuleSet {
  /// Compares this rule set with another one, such as an earlier version.
  ///
  /// - Complexity: Grows with the number of differing requirements and with the lengths; fractions
  ///   of a second for typical rules of sites.
  /// - Throws: ``PasswordRulesError/tooComplex(_:)``.
  public func compared(
    to other: PasswordRuleSet, reading: RequirementMatchingMode = .distinct
  ) throws -> PasswordRuleComparison {
    PasswordRuleComparison(
      onlyFirst: try JointSpace(self, and: other, reading: reading).witness(),
      onlySecond: try JointSpace(other, and: self, reading: reading).witness(),
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
        differences.append(.requiresNoMore(requirement.classes, count: otherCount - count))
      }
    }
    if let more = alphabet.classes(without: other.alphabet) { differences.append(.allows(more)) }
    if let less = other.alphabet.classes(without: alphabet) {
      differences.append(.allowsNoMore(less))
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
    case .repeating: maxRepeating.lowered(to: maxConsecutive)
    case .sequential: maxSequential.lowered(to: maxConsecutive)
    }
  }
}

extension Alphabet {
  /// Returns the characters that another alphabet lacks, as classes; nil if it lacks none.
  fileprivate func classes(without other: Alphabet) -> [CharacterClass]? {
    if other.isSuperset(of: self) { return nil }
    guard case .printable(let own) = self, case .printable(let others) = other else {
      return [.unicode]
    }
    return Alphabet.printable(own.subtracting(others)).classes
  }
}

extension PasswordRuleDifference: CustomStringConvertible {
  /// The difference in English, in a form that semicolons can join.
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
