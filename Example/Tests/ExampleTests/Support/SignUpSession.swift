/// What a sign-up on a terminal is started with.
enum SignUpSession {
  static let site = "example.org"
  static let variables = ["TERM=xterm-256color", "LANG=C.UTF-8"]
  /// Demands little, so that the screens are short.
  static let rules = "required: upper; required: digit; allowed: ascii-printable; minlength: 6"
}

extension DisplayedSession {
  convenience init(
    signUpOn machine: Machine, variables: [String] = SignUpSession.variables,
    language: String = "en"
  ) throws {
    try self.init(
      [
        machine.executable, "signup", "--site", SignUpSession.site, "--rules", SignUpSession.rules,
        "--language", language,
      ], on: machine, variables: variables)
  }

  /// Waits until the lines of the screen are those of a fixture, apart from empty ones at the end.
  func waitForScreen(_ name: String) throws {
    let text = try expectedScreen(name)
    try waitForDisplay("the screen\n\(text)\n") { $0.text == text }
  }

  /// Waits for the form, so that what is typed goes to it.
  func waitForForm() throws {
    try waitForDisplay("the form") { $0.takesPastes && $0.text.contains("Esc cancel") }
  }

  /// Types a user name and waits until it is known to be free.
  func typeName(_ name: String = "chihiro") throws {
    try waitForForm()
    try type(name)
    try waitForDisplay(of: "✓ Not taken yet")
  }

  /// Waits until the program says that the account is kept.
  func waitForSuccess() throws -> Bool {
    try end() == 0 && isGivenBack && display.text.contains("A second process has read it back.")
  }
}
