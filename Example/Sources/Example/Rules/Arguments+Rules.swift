import PasswordRules

extension Option {
  static let any = Option(
    "any", nil, "one character may serve several requirements; otherwise each takes one of its own")
  static let length = Option("length", "N", "the length of the passwords, in characters")
}

extension Parameter {
  static let descriptor = Parameter(
    "DESCRIPTOR", "what a password must be like, such as 'required: digit; minlength: 12;'")
}

extension Arguments {
  /// The rules of a parameter.
  func rules(at index: Int = 0, named name: String = "DESCRIPTOR") throws -> PasswordRuleSet {
    try descriptor(at: index, named: name).rules
  }

  /// The rules of a parameter, and what in them may not be meant.
  func descriptor(
    at index: Int = 0, named name: String = "DESCRIPTOR"
  ) throws(Failure) -> (rules: PasswordRuleSet, warnings: [DescriptorIssue]) {
    do throws(DescriptorSyntaxError) {
      return try PasswordRuleSet.parse(parameters[index])
    } catch {
      let place = MarkedText(parameters[index], marking: error.issue.range)
      throw Failure(
        """
        \(name) cannot be read. \(error)
          \(place.line)
          \(place.carets)
        """)
    }
  }

  /// What several requirements mean together.
  var reading: RequirementReading { has(.any) ? .any : .distinct }
}
