extension PasswordRuleSet {
  /// Whether passwords of a length can be counted, and how many satisfy the rules.
  func count(length: Int, reading: RequirementReading = .distinct) -> Natural? {
    guard length >= 0, length >= minLength ?? 0, length <= maxLength ?? length else { return 0 }
    if reading == .distinct, requirements.count > length { return 0 }
    guard let space = PasswordSpace(self, reading: reading) else { return nil }
    var counts = PasswordCounts(space)
    for _ in 0..<length { counts.extend() }
    return counts.all[0]
  }
}
