extension Validator {
  /// The same checks as advice: a value that fails them is valid all the same.
  public var recommended: Validator {
    replacingChecks { $0.severity = .recommendation }
  }

  /// The same checks under a name of the app's, by which it finds them in a report.
  ///
  /// Several checks get the same name, and are told apart by their ordinals.
  public func named(_ name: String) -> Validator {
    var ordinal = 0
    return replacingChecks { check in
      check.id = ValidationCheck.ID(name, ordinal: ordinal)
      ordinal += 1
    }
  }

  /// One check that holds where all requirements do, and says in the app's words what it demands.
  ///
  /// Recommendations are left out. What advice the checks would give themselves is not given; the one
  /// of the app is there as long as the check does not hold.
  public func saying(
    _ requirement: ValidationMessage, advising advice: ValidationMessage? = nil
  ) -> Validator {
    let validator = self
    return Validator(checks.first?.id.name ?? "all", requirement) { value, findings in
      let summary = validator.summary(of: value)
      findings.note(
        summary.state, advice: summary.state == .satisfied ? nil : advice, places: summary.places)
    }
  }
}
