extension PasswordRuleSet {
  /// Checks a password against every rule; fast enough to run at each keystroke.
  ///
  /// - Parameters:
  ///   - password: The password typed so far.
  ///   - unit: The unit of the length limits.
  ///   - reading: How several requirements combine.
  /// - Returns: One check for each of ``rules``, and one for the allowed characters, which a rule
  ///   set may omit.
  /// - Complexity: Linear in the length of the password, unless requirements overlap.
  public func check(
    _ password: some StringProtocol, unit: LengthUnit = .codePoints,
    reading: RequirementMatchingMode = .distinct
  ) -> PasswordReport {
    // The conversion to `String` keeps the loop below specialized for other modules.
    check(String(password), unit, reading)
  }

  private func check(
    _ password: String, _ unit: LengthUnit, _ reading: RequirementMatchingMode
  ) -> PasswordReport {
    var matching = RequirementMatching(reading == .distinct ? requirements : [])
    var met = reading == .any ? Array(repeating: false, count: requirements.count) : []
    let hasRunLimits = !runLimits.isEmpty
    var runs = RunDetector(runLimits)
    var forbidden: [Range<Int>] = []
    var position = 0
    for scalar in password.unicodeScalars {
      matching.deal(scalar)
      for index in met.indices where !met[index] && requirements[index].contains(scalar) {
        met[index] = true
      }
      if hasRunLimits { runs.read(scalar, at: position) }
      if !alphabet.contains(scalar) { forbidden.note(position) }
      position += 1
    }
    let length = unit == .codePoints ? position : unit.length(of: password)
    let missing = reading == .distinct ? matching.unmet : met.count { !$0 }
    let mustDelete = !forbidden.isEmpty || !runs.excesses.isEmpty
    let completion =
      mustDelete
      ? nil : shortestCompletion(of: password, length: length, missing: missing, reading: reading)
    let isDeadEnd = !mustDelete && completion == nil
    // Deleted characters can be replaced; further required characters need more room.
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
        case .maxConsecutive(let limit): checks[index].violate(runs.longer(than: limit))
        case .maxRepeating(let limit):
          checks[index].violate(runs.longer(than: limit) { $0 == .equal })
        case .maxSequential(let limit):
          checks[index].violate(runs.longer(than: limit) { $0 != .equal })
        case .minLength(let limit):
          if length < limit { checks[index].state = isDeadEnd ? .broken : .notYet }
        case .maxLength(let limit):
          if length > limit { checks[index].violate([unit.excess(of: password, over: limit)]) }
        }
      }
    }
    return PasswordReport(checks: checks, length: length, shortestCompletion: completion)
  }

  /// Returns the fewest characters that complete a password of which at most excess length must be
  /// deleted; nil if none do.
  ///
  /// `length` is in the unit of the limits; `missing` is the number of unmet requirements.
  private func shortestCompletion(
    of password: String, length: Int, missing: Int, reading: RequirementMatchingMode
  ) -> Int? {
    let room = (maxLength ?? .max) - length
    if room < 0 { return nil }
    let least = max(0, (minLength ?? 0) - length)
    let bound = max(least, reading == .distinct ? missing : min(missing, 1))
    if bound > room { return nil }
    if hasAmpleChoice, reading == .distinct || missing < 2 { return bound }
    guard let space = PasswordSpace(self, reading: reading) else { return bound }
    var reach = ReachableStates(space)
    guard reach.follow(password.unicodeScalars) else { return nil }
    do throws(PasswordRulesError) {
      return try reach.shortest(in: least...room)
    } catch {
      return bound
    }
  }
}

extension PasswordReport.Check {
  fileprivate mutating func violate(_ ranges: [Range<Int>]) {
    if ranges.isEmpty { return }
    state = .broken
    violations = ranges
  }
}

extension RunDetector {
  fileprivate func longer(
    than limit: Int, where isIncluded: (Run.Step) -> Bool = { _ in true }
  ) -> [Range<Int>] {
    excesses.filter { $0.range.count > limit && isIncluded($0.step) }.map(\.range)
  }
}

extension [Range<Int>] {
  /// Extends the last range by a position, or starts a new range.
  package mutating func note(_ position: Int) {
    if last?.upperBound == position {
      self[count - 1] = self[count - 1].lowerBound..<(position + 1)
    } else {
      append(position..<(position + 1))
    }
  }
}

extension PasswordRuleSet {
  /// Returns whether a password satisfies every rule.
  public func isSatisfied(
    by password: some StringProtocol, unit: LengthUnit = .codePoints,
    reading: RequirementMatchingMode = .distinct
  ) -> Bool {
    check(password, unit: unit, reading: reading).isSatisfied
  }

  /// Returns the rules that a password does not satisfy, with the places that break them.
  public func violations(
    in password: some StringProtocol, unit: LengthUnit = .codePoints,
    reading: RequirementMatchingMode = .distinct
  ) -> [PasswordReport.Check] {
    check(password, unit: unit, reading: reading).checks.filter { $0.state != .satisfied }
  }
}
