import PasswordRules

extension Chapter {
  static let rules = Chapter(title: "What a password must be like") { stage in
    let rules: PasswordRuleSet = [
      .required(.upper), .required(.digits), .allowed(.lower), .maxRepeating(2), .minLength(12),
    ]
    try stage.show(
      """
      let rules: PasswordRuleSet = [.required(.upper), .required(.digits), .allowed(.lower), \
      .maxRepeating(2), .minLength(12)]
      """)
    try stage.show("rules.descriptor   // for HTML and for other programs", rules.descriptor)
    let written = "required: digits; allowed: [a-z];"
    let (read, warnings) = try PasswordRuleSet.parse(written)
    try stage.show("try PasswordRuleSet.parse(\(String(reflecting: written))).rules", read)
    for warning in warnings { try stage.say("\(warning)") }
    try await stage.showFailure(#"try PasswordRuleSet("required: number;")"#) {
      () throws in _ = try PasswordRuleSet("required: number;")
    }

    let report = rules.check("Tapqofff")
    let states = report.checks.map { "\($0.rule) (\($0.state))" }
    try stage.show(#"rules.check("Tapqofff").checks"#, states)
    try stage.show(
      #"rules.check("Tapqof").shortestCompletion"#, rules.check("Tapqof").shortestCompletion ?? 0)

    let generator = try PasswordGenerator(rules)
    let password = generator.password()
    try stage.show("let password = try PasswordGenerator(rules).password()", password)
    try stage.show("rules.isSatisfied(by: password)", rules.isSatisfied(by: password))
    try stage.show("generator.count   // each as likely as any other", generator.count)

    let comparison = try rules.compared(to: [.required(.digits), .allowed(.lower, .upper)])
    try stage.show(
      "rules.compared(to: [.required(.digits), .allowed(.lower, .upper)])",
      comparison.differences)
    try stage.show("the relation", comparison.relation)
    try stage.show("a password that only the others accept", comparison.onlySecond)
  }
}
