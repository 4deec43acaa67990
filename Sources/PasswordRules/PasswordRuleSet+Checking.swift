extension PasswordRuleSet {
  /// Checks a password against every rule; quick enough for each keystroke.
  ///
  /// - Parameters:
  ///   - password: The password, as far as it was typed.
  ///   - unit: What the length limits count.
  ///   - reading: What several requirements mean together.
  /// - Complexity: Linear in the length of the password, unless requirements overlap.
  public func check(
    _ password: some StringProtocol, unit: LengthUnit = .codePoints,
    reading: RequirementReading = .distinct
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
    let state = { (index: Int) in reading == .distinct ? matching.isMet(index) : met[index] }
    let missing = requirements.indices.filter { !state($0) }.count
    let completion = shortestCompletion(
      of: password, length: length, missing: missing,
      isBroken: !forbidden.isEmpty || !runs.repeating.isEmpty || !runs.sequential.isEmpty,
      reading: reading)
    // What is forbidden can be deleted and replaced; what does not fit needs room to be made.
    let lacksRoom = missing > (maxLength ?? .max) - length
    var checks: [PasswordReport.Check] = []
    for (index, requirement) in requirements.enumerated() {
      let unmet: PasswordReport.State = lacksRoom ? .broken : .notYet
      checks.append(
        .init(
          rule: .required(requirement.classes), state: state(index) ? .satisfied : unmet,
          violations: []))
    }
    func add(_ rule: PasswordRule?, _ violations: [Range<Int>]) {
      guard let rule else { return }
      checks.append(
        .init(
          rule: rule, state: violations.isEmpty ? .satisfied : .broken, violations: violations))
    }
    add(.allowed(alphabet.classes), forbidden)
    add(repeatingLimit.map { .maxRepeating($0) }, runs.repeating)
    add(sequentialLimit.map { .maxSequential($0) }, runs.sequential)
    if let minLength {
      checks.append(
        .init(
          rule: .minLength(minLength), state: length < minLength ? .notYet : .satisfied,
          violations: []))
    }
    add(
      maxLength.map { .maxLength($0) },
      maxLength.map { length > $0 ? [min($0, position)..<position] : [] } ?? [])
    return PasswordReport(checks: checks, length: length, shortestCompletion: completion)
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
