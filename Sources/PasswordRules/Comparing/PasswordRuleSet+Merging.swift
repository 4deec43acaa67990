extension PasswordRuleSet {
  /// Creates the rule set that combines several, such as those of a password field, its
  /// confirmation field, and the site.
  ///
  /// A character is allowed only if every rule set allows it. If several rule sets contain the same
  /// requirement, the result contains it as often as the rule set that repeats it most.
  ///
  /// - Throws: ``PasswordRulesError/unsatisfiable(_:)`` if no character is allowed by all rule
  ///   sets, or if one requires a class that another does not allow.
  public init(merging ruleSets: [PasswordRuleSet]) throws {
    guard var alphabet = ruleSets.first?.alphabet else {
      self.init([])
      return
    }
    for other in ruleSets.dropFirst() { alphabet = alphabet.intersection(other.alphabet) }
    if alphabet.isEmpty {
      throw PasswordRulesError.unsatisfiable("they have no character in common")
    }
    var requirements: [Alphabet] = []
    var most: [Alphabet: Int] = [:]
    for ruleSet in ruleSets {
      var counts: [Alphabet: Int] = [:]
      for requirement in ruleSet.requirements {
        let common = requirement.intersection(alphabet)
        if common.isEmpty {
          let names = requirement.classes.map(\.name).joined(separator: ", ")
          throw PasswordRulesError.unsatisfiable(
            "one requires \(names), which another does not allow")
        }
        let count = counts[common, default: 0] + 1
        counts[common] = count
        if count > most[common, default: 0] {
          most[common] = count
          requirements.append(common)
        }
      }
    }
    self.init(
      ruleSets.flatMap { $0.rules.filter { $0.parts.limit != nil } } + [.allowed(alphabet.classes)]
        + requirements.map { .required($0.classes) })
  }
}
