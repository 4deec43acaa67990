// Checking a password: a report of all rules, a verdict, and the violations.
extension PasswordRuleSet {
  /// Checks a password against every rule, fast enough for each keystroke.
  ///
  /// The report has one check for each of ``rules``, and always one for the allowed characters.
  ///
  /// - Complexity: Linear in the length of the password, unless requirements overlap.
  @inlinable public func check(
    _ password: some StringProtocol, unit: LengthUnit = .codePoints,
    matching mode: RequirementMatchingMode = .distinct
  ) -> PasswordReport {
    // Inlinable, so that the conversion is compiled for the caller's type.
    check(string: String(password), unit, mode)
  }

  @usableFromInline func check(
    string password: String, _ unit: LengthUnit, _ mode: RequirementMatchingMode
  ) -> PasswordReport {
    let characters = Alphabet(of: password)
    let forbidden =
      alphabet.isSuperset(of: characters)
      ? [] : Array(password.unicodeScalars).indices { !alphabet.contains($0) }.ranges.map(\.self)
    var runs = RunDetector(runLimits)
    if !runLimits.isEmpty { for scalar in password.unicodeScalars { runs.read(scalar) } }
    // For other requirements, the set of characters is sufficient.
    var matching: RequirementMatching?
    if mode == .distinct, hasOverlappingRequirements {
      matching = RequirementMatching(requirements)
      for scalar in password.unicodeScalars { matching?.assign(scalar) }
    }
    // A printable ASCII character is one byte.
    let length =
      !characters.isUnicode && unit == .codePoints
      ? password.utf8.count : unit.length(of: password)
    let missing = matching?.unmet ?? requirements.count { !$0.intersects(characters) }
    let mustDelete = !forbidden.isEmpty || !runs.excesses.isEmpty
    let completion =
      mustDelete
      ? nil : shortestCompletion(of: password, length: length, missing: missing, matching: mode)
    let isDeadEnd = !mustDelete && completion == nil
    // Forbidden characters can be replaced by required ones, but the length is limited.
    let minimum = mode == .distinct ? missing : min(missing, 1)
    let lacksRoom = isDeadEnd || minimum > (maxLength ?? .max) - length

    var checks = checks
    let firstRequired = allowedIsFirst ? 1 : 0
    if missing > 0 {
      for (index, requirement) in requirements.enumerated()
      where !(matching?.isMet(index) ?? requirement.intersects(characters)) {
        checks[firstRequired + index].state = lacksRoom ? .violated : .incomplete
      }
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
          if length < limit { checks[index].state = isDeadEnd ? .violated : .incomplete }
        case .maxLength(let limit):
          if length > limit { checks[index].violate([unit.excess(of: password, over: limit)]) }
        }
      }
    }
    return PasswordReport(checks: checks, length: length, shortestCompletion: completion)
  }

  /// Returns the length of the shortest completion of a password without forbidden characters or
  /// excessive runs.
  ///
  /// `length` is in the unit of the limits; `missing` is the number of unmet requirements.
  private func shortestCompletion(
    of password: String, length: Int, missing: Int, matching mode: RequirementMatchingMode
  ) -> Int? {
    let room = (maxLength ?? .max) - length
    if room < 0 { return nil }
    let shortest = max(0, (minLength ?? 0) - length)
    let bound = max(shortest, mode == .distinct ? missing : min(missing, 1))
    if bound > room { return nil }
    if hasAmpleChoice, mode == .distinct || missing < 2 { return bound }
    do throws(PasswordRulesError) {
      var search = try PasswordSearch(self, matching: mode)
      guard search.begin(with: password) else { return nil }
      return try search.shortest(in: shortest...room)?.length
    } catch {
      return bound
    }
  }

  /// Returns whether a password satisfies every rule.
  public func isSatisfied(
    by password: some StringProtocol, unit: LengthUnit = .codePoints,
    matching mode: RequirementMatchingMode = .distinct
  ) -> Bool {
    check(password, unit: unit, matching: mode).isSatisfied
  }

  /// Returns the checks of the rules that a password does not satisfy.
  public func violations(
    in password: some StringProtocol, unit: LengthUnit = .codePoints,
    matching mode: RequirementMatchingMode = .distinct
  ) -> [PasswordReport.Check] {
    check(password, unit: unit, matching: mode).checks.filter { $0.state != .satisfied }
  }
}

extension PasswordReport.Check {
  fileprivate mutating func violate(_ ranges: [Range<Int>]) {
    if ranges.isEmpty { return }
    state = .violated
    violations = ranges
  }
}

extension RunDetector {
  fileprivate func longer(
    than limit: Int, where isIncluded: (CharacterRun.Step) -> Bool = { _ in true }
  ) -> [Range<Int>] {
    excesses.filter { $0.range.count > limit && isIncluded($0.step) }.map(\.range)
  }
}
