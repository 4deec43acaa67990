/// A comparison of the rules of two rule sets, and of the passwords that they accept.
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
  /// - Complexity: Grows with the differing requirements and the lengths, to a fraction of a second
  ///   for the rules of typical sites.
  /// - Throws: ``PasswordRulesError/tooComplex(_:)`` if the search takes too long.
  public func compared(
    to other: PasswordRuleSet, matching mode: RequirementMatchingMode = .distinct
  ) throws -> PasswordRuleComparison {
    var onlyFirst = try PasswordSearch(self, butNot: other, matching: mode)
    var onlySecond = try PasswordSearch(other, butNot: self, matching: mode)
    return PasswordRuleComparison(
      onlyFirst: try onlyFirst.witness(), onlySecond: try onlySecond.witness(),
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
  /// Returns the classes that another alphabet lacks, or nil if it lacks none.
  fileprivate func classes(without other: Alphabet) -> [CharacterClass]? {
    if other.isSuperset(of: self) { return nil }
    return isUnicode ? [.unicode] : Alphabet(listed: listed.subtracting(other.listed)).classes
  }
}
