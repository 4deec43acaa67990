import PasswordRules

extension Chapter {
  static let rules = Chapter(title: "What a password must be like") { stage in
    let rules: PasswordRuleSet = [
      .required(.upper), .required(.digits), .allowed(.lower), .maxRepeating(2), .minLength(12),
    ]
    try stage.show(
      "let rules: PasswordRuleSet = [.required(.upper), .required(.digits), .allowed(.lower), .maxRepeating(2), .minLength(12)]"
    )
    try stage.show("rules.descriptor   // for HTML and for other programs", rules.descriptor)
    let written = "required: digits; allowed: [a-z];"
    let parsed = try PasswordRuleSet.parse(written)
    try stage.show(#"let written = "required: digits; allowed: [a-z];""#)
    try stage.show(
      "let parsed = try PasswordRuleSet.parse(written); parsed.rules", parsed.rules)
    for warning in parsed.warnings { try stage.say("\(warning)") }
    try await stage.showFailure(#"try PasswordRuleSet("required: number;")"#) {
      () throws in _ = try PasswordRuleSet("required: number;")
    }

    let checks = rules.check("Tapqofff").checks
    let states = checks.map { "\($0.rule) (\($0.state))" }
    try stage.show(#"rules.check("Tapqofff").checks"#, states)
    try stage.show(
      #"rules.check("Tapqof").shortestCompletion"#, rules.check("Tapqof").shortestCompletion ?? 0)

    let generator = try PasswordGenerator(rules)
    let password = generator.password()
    try stage.show(
      "let generator = try PasswordGenerator(rules); let password = generator.password(); password",
      password)
    try stage.show("rules.isSatisfied(by: password)", rules.isSatisfied(by: password))
    try stage.show("generator.count   // each as likely as any other", generator.count)

    let comparison = try rules.compared(to: [.required(.digits), .allowed(.lower, .upper)])
    try stage.show(
      "let comparison = try rules.compared(to: [.required(.digits), .allowed(.lower, .upper)])")
    try stage.show("comparison.differences", comparison.differences)
    try stage.show("comparison.relation", comparison.relation)
    try stage.show(
      "comparison.onlySecond   // a password that only the others accept", comparison.onlySecond)
  }
}
