extension ValidationReport {
  /// Adds a check after the others, with an identity of its own.
  mutating func append(_ check: ValidationCheck) {
    var check = check
    check.id = ValidationCheck.ID(
      check.id.name, ordinal: checks.count { $0.id.name == check.id.name })
    checks.append(check)
  }

  /// Whether an answer is awaited.
  var isPending: Bool { checks.contains { $0.state == .pending } }
}
