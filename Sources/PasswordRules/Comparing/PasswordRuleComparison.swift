/// How two rule sets differ, in the passwords that satisfy them and in what they say.
public struct PasswordRuleComparison: Hashable, Sendable {
  /// How the passwords of the one lie to those of the other.
  public enum Relation: Hashable, Sendable {
    /// The same passwords satisfy both.
    case equal
    /// Every password that satisfies the first satisfies the second, but not the other way round.
    case stricter
    /// Every password that satisfies the second satisfies the first, but not the other way round.
    case looser
    /// Each has passwords that the other refuses.
    case incomparable
  }

  /// A shortest password that satisfies the first and not the second, if there is one.
  public let onlyFirst: String?
  /// A shortest password that satisfies the second and not the first, if there is one.
  public let onlySecond: String?
  /// What the first says otherwise than the second; it may be without effect.
  public let differences: [PasswordRuleDifference]

  /// How the first lies to the second.
  public var relation: Relation {
    switch (onlyFirst, onlySecond) {
    case (nil, nil): .equal
    case (nil, _?): .stricter
    case (_?, nil): .looser
    case (_?, _?): .incomparable
    }
  }
}

/// One thing that a rule set says otherwise than another.
public enum PasswordRuleDifference: Hashable, Sendable {
  /// A character of these classes is required in addition, so many times.
  case requires([CharacterClass], count: Int)
  /// A character of these classes is required no more, so many times.
  case requiresNoMore([CharacterClass], count: Int)
  /// These characters may be used in addition.
  case allows([CharacterClass])
  /// These characters may not be used any more.
  case allowsNoMore([CharacterClass])
  /// A limit is another one; nil stands for none.
  case limit(Limit, from: Int?, to: Int?)

  /// Which limit it is.
  public enum Limit: Hashable, Sendable, CaseIterable {
    /// The least length.
    case minLength
    /// The greatest length.
    case maxLength
    /// Equal characters in a row.
    case repeating
    /// Neighbouring characters in a row.
    case sequential
  }
}

extension PasswordRuleSet {
  /// Compares this rule set with an earlier or another one.
  ///
  /// - Complexity: Grows with the number of requirements that differ and with the lengths; fractions of
  ///   a second for rules as sites have them.
  /// - Throws: ``PasswordRulesError/tooComplex(_:)``.
  public func compared(
    to other: PasswordRuleSet, reading: RequirementReading = .distinct
  ) throws(PasswordRulesError) -> PasswordRuleComparison {
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
    case .repeating: repeatingLimit
    case .sequential: sequentialLimit
    }
  }
}

extension Alphabet {
  /// The characters that another alphabet lacks, as classes; nil when it lacks none.
  fileprivate func classes(without other: Alphabet) -> [CharacterClass]? {
    if other.isSuperset(of: self) { return nil }
    guard case .printable(let own) = self, case .printable(let others) = other else {
      return [.unicode]
    }
    return Alphabet.printable(own.subtracting(others)).classes
  }
}
