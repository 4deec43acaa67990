@testable import Validation

extension Validator<String> {
  /// A check that holds of every value, and says in its advice which one was looked at.
  static var echo: Validator {
    Validator("echo", .custom("echo")) { $1.note(.satisfied, advice: .custom($0)) }
  }
}

extension ValidationReport {
  /// The value that `echo` looked at.
  var echo: String? {
    if case .custom(let value, _) = checks.first(where: { $0.id.name == "echo" })?.advice {
      value
    } else {
      nil
    }
  }
}
