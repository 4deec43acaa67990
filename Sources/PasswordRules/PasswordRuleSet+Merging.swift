extension PasswordRuleSet {
  /// Joins rule sets that hold at once, such as those of a field, of the field to repeat it, and of the
  /// site.
  ///
  /// Only what every one of them allows is allowed. What several of them require is required as often
  /// as the one that says it most often does, and not once for each.
  ///
  /// - Throws: ``PasswordRulesError/unsatisfiable(_:)`` when they have no character in common, or when
  ///   one requires what another does not allow.
  public init(merging ruleSets: [PasswordRuleSet]) throws(PasswordRulesError) {
    guard var alphabet = ruleSets.first?.alphabet else {
      self.init([])
      return
    }
    for other in ruleSets.dropFirst() { alphabet = alphabet.intersection(other.alphabet) }
    if alphabet.isEmpty { throw .unsatisfiable("they have no character in common") }
    var requirements: [Alphabet] = []
    var most: [Alphabet: Int] = [:]
    for ruleSet in ruleSets {
      var counts: [Alphabet: Int] = [:]
      for requirement in ruleSet.requirements {
        let common = requirement.intersection(alphabet)
        if common.isEmpty {
          let names = requirement.classes.map(\.name).joined(separator: ", ")
          throw .unsatisfiable("one requires \(names), which another does not allow")
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
      ruleSets.flatMap(\.limits) + [.allowed(alphabet.classes)]
        + requirements.map { .required($0.classes) })
  }

  private var limits: [PasswordRule] {
    rules.filter { rule in
      switch rule {
      case .required, .allowed: false
      default: true
      }
    }
  }
}
