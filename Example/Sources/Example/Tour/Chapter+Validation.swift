import PasswordRules
import Validation

extension Chapter {
  static let validation = Chapter(title: "Validation at each key") { stage in
    let rules: PasswordRuleSet = [.required(.digits), .allowed(.lower), .minLength(8)]
    @Validated(.count(3...20)) var name = ""
    @Validated(.password(rules)) var password = ""
    @Validated(.notEmpty) var repetition = ""
    $password.require(.notContaining($name))
    $repetition.require(.equal(to: $password))
    try stage.show(
      "let rules: PasswordRuleSet = [.required(.digits), .allowed(.lower), .minLength(8)]")
    try stage.show(#"@Validated(.count(3...20)) var name = """#)
    try stage.show(#"@Validated(.password(rules)) var password = """#)
    try stage.show(#"@Validated(.notEmpty) var repetition = """#)
    try stage.show("$password.require(.notContaining($name))")
    try stage.show("$repetition.require(.equal(to: $password))")
    name = "ponyo"
    password = "ponyo!"
    try stage.show(#"name = "ponyo"; password = "ponyo!"; $password.report.errors"#)
    for check in $password.report.errors {
      try stage.say("\(check.text(in: .english)) (\(check.state.text(in: .english)))")
    }
    password = "sosuke5"
    try stage.show(
      #"password = "sosuke5"; $password.report.errors.map { $0.text(in: .german) }"#,
      $password.report.errors.map { $0.text(in: .german) })
    password = "sosuke55"
    try stage.show(#"password = "sosuke55"; $password.isValid"#, $password.isValid)

    let form = ValidationForm($name, $password, $repetition)
    try stage.show("let form = ValidationForm($name, $password, $repetition)")
    try stage.show(
      "form.report.progressText(in: .english); $repetition.report.state   // not visited yet")
    try stage.say("\(form.report.progressText(in: .english)); \($repetition.report.state)")
    repetition = password
    try stage.show("repetition = password; form.isValid", form.isValid)
    password = "sosuke56"
    try stage.show(#"password = "sosuke56"; form.isValid"#, form.isValid)

    try stage.show("NIST.contradictions(of: rules)")
    for contradiction in NIST.contradictions(of: rules) { try stage.say("\(contradiction)") }
  }
}
