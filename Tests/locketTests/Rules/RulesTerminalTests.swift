import TestSupport
import Testing

final class RulesTerminalTests: ToolTests {
  private func session(
    _ command: String, _ descriptor: String, _ variables: [String] = []
  ) throws -> PseudoTerminal {
    try PseudoTerminal(
      [machine.executable, "rules", command, descriptor], on: machine, variables: variables)
  }

  @Test func typedPasswordIsHidden() throws {
    let session = try session("check", "required: digit; minlength: 8;", ["TERM=xterm"])
    try session.answer("Password: ", "tajny!")
    #expect(try session.end() == 1)
    #expect(session.echoes)
    #expect(
      session.screen == """
        Password: \r
        \u{1B}[33mincomplete\u{1B}[0m  required: digit\r
        \u{1B}[31mviolated  \u{1B}[0m  allowed: digit  (characters 1 to 6)\r
        \u{1B}[33mincomplete\u{1B}[0m  minlength: 8\r
        Delete or replace some characters.\r

        """)
  }

  @Test(arguments: [
    (["TERM=xterm", "NO_COLOR=1"], false), (["TERM=dumb"], false),
    (["TERM=xterm", "NO_COLOR="], true),
  ])
  func colorsCanBeDeclined(variables: [String], isColored: Bool) throws {
    let session = try session("explain", "minlength: 0", variables)
    #expect(try session.end() == 0)
    #expect(session.screen.contains("\u{1B}") == isColored)
    #expect(session.screen.contains("A limit of 0 has no effect."))
  }

  @Test func syntaxErrorPrecedesThePrompt() throws {
    let session = try session("check", "required: foo")
    #expect(try session.end() == 2)
    #expect(!session.screen.contains("Password"))
  }

  @Test func emptyPasswordIsChecked() throws {
    let session = try session("check", "minlength: 1;")
    try session.answer("Password: ", "")
    #expect(try session.end() == 1)
    #expect(session.screen.hasSuffix("At least 1 more character is needed.\r\n"))
  }
}
