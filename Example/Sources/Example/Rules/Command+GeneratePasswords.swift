import PasswordRules

extension Option {
  fileprivate static let count = Option("n", "COUNT", "how many passwords; one otherwise")
  fileprivate static let typeable = Option(
    "typeable", nil, "passwords that are easy to read out, such as tapqof-5nubri-Hyxgek")
}

extension Command {
  /// So many characters are written at once.
  private static let portion = 65536

  static let generatePasswords = Command(
    name: "rules generate",
    parameters: [.descriptor],
    summary: "Generates passwords that satisfy the rules, one on each line.",
    options: [.count, .length, .typeable, .any],
    notes: """
      Each password that satisfies the rules is as likely as any other. The length is 20, or as near
      to it as the rules allow, unless --length says another.
      """
  ) { arguments in
    if arguments.has(.typeable), arguments.has(.length) {
      throw UsageError("--typeable and --length exclude each other.")
    }
    let count = try arguments.number(.count, from: 1) ?? 1
    let length = try arguments.number(.length, from: 0)
    let rules = try arguments.rules()
    if arguments.has(.typeable) {
      guard let style = TypeablePassword(rules) else {
        throw Failure("These rules leave no room for passwords that are easy to read out.")
      }
      try write(count) { style.password() }
    } else {
      let generator = try PasswordGenerator(rules, length: length, reading: arguments.reading)
      try write(count) { generator.password() }
    }
    return .done
  }

  private static func write(_ count: Int, _ password: () -> String) throws(Failure) {
    var lines: [UInt8] = []
    for _ in 0..<count {
      lines += Array("\(password())\n".utf8)
      if lines.count >= portion {
        try Output.write(lines)
        lines.removeAll(keepingCapacity: true)
      }
    }
    try Output.write(lines)
  }
}
