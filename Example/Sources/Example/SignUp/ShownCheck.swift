import Validation

/// A check as it is shown.
struct ShownCheck: Equatable {
  var text: String
  var state: ValidationCheck.State
}

extension ValidationReport {
  /// The checks in words: what is to be done, or what is demanded as long as nobody was at the field.
  func shown(in language: ValidationLanguage) -> [ShownCheck] {
    checks.map { check in
      isTouched
        ? ShownCheck(text: check.text(in: language), state: check.state)
        : ShownCheck(
          text: check.requirement.text(in: language),
          state: check.state == .satisfied ? .satisfied : .waiting)
    }
  }
}
