@testable import Validation

extension Validator<String> {
  /// A check that every value satisfies, with the checked value as its advice.
  static var echo: Validator {
    Validator("echo", .custom("echo")) { $1.record(.satisfied, advice: .custom($0)) }
  }
}

extension Validator {
  /// A check that every value satisfies.
  static var any: Validator { .custom("any", .custom("any")) { _ in true } }
}

extension ValidationReport {
  /// The value that `echo` checked.
  var echo: String? {
    if case .custom(let value, _) = checks.first(where: { $0.id.name == "echo" })?.advice {
      value
    } else {
      nil
    }
  }
}
