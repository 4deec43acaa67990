extension PasswordRuleSet {
  /// Checks a password against every rule; quick enough for each keystroke.
  ///
  /// - Parameters:
  ///   - password: The password, as far as it was typed.
  ///   - unit: What the length limits count.
  ///   - reading: What several requirements mean together.
  /// - Returns: One check for each of ``rules``, and one for what may be used, which a rule set need not
  ///   say.
  /// - Complexity: Linear in the length of the password, unless requirements overlap.
  public func check(
    _ password: some StringProtocol, unit: LengthUnit = .codePoints,
    reading: RequirementReading = .distinct
  ) -> PasswordReport {
    // Otherwise the loop below would not be compiled for the strings of the module's users.
    check(String(password), unit, reading)
  }

  private func check(
    _ password: String, _ unit: LengthUnit, _ reading: RequirementReading
  ) -> PasswordReport {
    var matching = RequirementMatching(reading == .distinct ? requirements : [])
    var met = reading == .any ? Array(repeating: false, count: requirements.count) : []
    var runs = RunCheck(self)
    var forbidden: [Range<Int>] = []
    var position = 0
    for scalar in password.unicodeScalars {
      matching.deal(scalar)
      for index in met.indices where !met[index] && requirements[index].contains(scalar) {
        met[index] = true
      }
      runs.read(scalar, at: position)
      if !alphabet.contains(scalar) { forbidden.note(position) }
      position += 1
    }
    let length = unit == .codePoints ? position : unit.length(of: password)
    let missing = reading == .distinct ? matching.unmet : met.count { !$0 }
    let mustDelete = !forbidden.isEmpty || !runs.repeating.isEmpty || !runs.sequential.isEmpty
    let completion =
      mustDelete
      ? nil : shortestCompletion(of: password, length: length, missing: missing, reading: reading)
    let isDeadEnd = !mustDelete && completion == nil
    // What must be deleted can be replaced; what does not fit beside it needs more room.
    let least = reading == .distinct ? missing : min(missing, 1)
    let lacksRoom = isDeadEnd || least > (maxLength ?? .max) - length

    var checks = checks
    for index in requirements.indices {
      let isMet = reading == .distinct ? matching.isMet(index) : met[index]
      if !isMet { checks[firstRequired + index].state = lacksRoom ? .broken : .notYet }
    }
    if mustDelete || length < minLength ?? 0 || length > maxLength ?? .max {
      for index in checks.indices {
        switch checks[index].rule {
        case .required: break
        case .allowed: checks[index].violate(forbidden)
        case .maxConsecutive(let limit):
          checks[index].violate(runs.repeating + runs.sequential, over: limit)
        case .maxRepeating(let limit): checks[index].violate(runs.repeating, over: limit)
        case .maxSequential(let limit): checks[index].violate(runs.sequential, over: limit)
        case .minLength(let limit):
          if length < limit { checks[index].state = isDeadEnd ? .broken : .notYet }
        case .maxLength(let limit):
          if length > limit { checks[index].violate([unit.excess(of: password, over: limit)]) }
        }
      }
    }
    return PasswordReport(checks: checks, length: length, shortestCompletion: completion)
  }
}

extension PasswordReport.Check {
  fileprivate mutating func violate(_ ranges: [Range<Int>]) {
    if ranges.isEmpty { return }
    state = .broken
    violations = ranges
  }

  fileprivate mutating func violate(_ runs: [Range<Int>], over limit: Int) {
    if runs.isEmpty { return }
    violate(runs.filter { $0.count > limit }.sorted { $0.lowerBound < $1.lowerBound })
  }
}

extension [Range<Int>] {
  /// Adds a position to the last range, or begins another one.
  fileprivate mutating func note(_ position: Int) {
    if last?.upperBound == position {
      self[count - 1] = self[count - 1].lowerBound..<(position + 1)
    } else {
      append(position..<(position + 1))
    }
  }
}

extension PasswordRuleSet {
  /// Whether a password satisfies every rule.
  public func isSatisfied(
    by password: some StringProtocol, unit: LengthUnit = .codePoints,
    reading: RequirementReading = .distinct
  ) -> Bool {
    check(password, unit: unit, reading: reading).isSatisfied
  }

  /// The rules that a password does not satisfy, and where it breaks them.
  public func violations(
    in password: some StringProtocol, unit: LengthUnit = .codePoints,
    reading: RequirementReading = .distinct
  ) -> [PasswordReport.Check] {
    check(password, unit: unit, reading: reading).checks.filter { $0.state != .satisfied }
  }
}
