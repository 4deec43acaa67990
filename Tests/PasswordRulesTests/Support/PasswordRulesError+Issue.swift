import PasswordRules

// The issue of a syntax error.
extension PasswordRulesError {
  /// The syntax error; nil for other errors.
  var issue: DescriptorIssue? { if case .syntax(let issue) = self { issue } else { nil } }
}
