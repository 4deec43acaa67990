import FoundationEssentials

/// A sign-up on a terminal that can show everything.
struct SignUpSession {
  static let site = "example.org"
  static let variables = ["TERM=xterm-256color", "LANG=C.UTF-8"]
  /// Demands little, so that the screens are short.
  static let rules = "required: upper; required: digit; allowed: ascii-printable; minlength: 6"

  let terminal: DisplayedSession

  init(on machine: Machine, variables: [String] = variables, language: String = "en") throws {
    terminal = try DisplayedSession(
      [
        Machine.executable, "signup", "--site", Self.site, "--rules", Self.rules, "--language",
        language,
      ], on: machine, variables: variables)
  }

  /// Waits until the lines of the screen are these, apart from empty ones at the end.
  func waitForScreen(_ text: String) throws {
    try terminal.waitForDisplay("the screen\n\(text)\n") { $0.text == text }
  }

  /// Waits for the form, so that what is typed goes to it.
  func waitForForm() throws {
    try terminal.waitForDisplay("the form") { $0.takesPastes && $0.text.contains("Esc cancel") }
  }

  func type(_ text: String) throws { try terminal.type(text) }

  func waitForDisplay(of text: String) throws { try terminal.waitForDisplay(of: text) }

  func waitForDisplay(_ what: String, _ condition: (TerminalDisplay) -> Bool) throws {
    try terminal.waitForDisplay(what, condition)
  }

  /// Types a user name and waits until it is known to be free.
  func typeName(_ name: String = "chihiro") throws {
    try waitForForm()
    try terminal.type(name)
    try terminal.waitForDisplay(of: "✓ Not taken yet")
  }

  /// Waits until the program says that the account is kept.
  func waitForSuccess() throws -> Bool {
    let status = try terminal.end()
    return status == 0 && terminal.isGivenBack
      && terminal.display.text.contains("A second process has read it back.")
  }
}
