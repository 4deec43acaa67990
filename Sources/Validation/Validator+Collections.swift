extension Validator where Value: Collection & SendableMetatype {
  /// At least one element.
  public static var notEmpty: Validator {
    Validator(checks: [ValidationCheck(id: .init("notEmpty"), requirement: .notEmpty)]) {
      $1.note($0.isEmpty ? .notYet : .satisfied)
    }
  }
}
