import PasswordRules

extension Command {
  static let compareRules = Command(
    name: "rules compare",
    parameters: [
      Parameter("A", "what a password must be like, such as 'required: digit; minlength: 12;'"),
      Parameter("B", "what it is compared with, such as what held before"),
    ],
    summary: "Says how rules differ from others, with passwords that only one of them accepts.",
    options: [.any],
    notes: """
      The first line is what A is: equal, stricter, looser or incomparable. Then come what A says
      otherwise than B, and a shortest password that only A accepts and one that only B does, each as
      a string of JSON, if there are any.
      """
  ) { arguments in
    let first = try arguments.rules(at: 0, named: "A")
    let second = try arguments.rules(at: 1, named: "B")
    let comparison = try first.compared(to: second, reading: arguments.reading)
    try Output.line("\(comparison.relation)")
    for difference in comparison.differences { try Output.line("  \(difference)") }
    for (name, password) in [("A", comparison.onlyFirst), ("B", comparison.onlySecond)] {
      if let password { try Output.line("only \(name) accepts \(password.quotedForJSON)") }
    }
    return .done
  }
}
