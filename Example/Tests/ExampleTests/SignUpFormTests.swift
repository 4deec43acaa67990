import Foundation
import PasswordRules
import Testing

@testable import Example

struct SignUpFormTests {
  private let machine: Machine

  init() throws { machine = try Machine() }

  @Test func everyKeyUpdatesTheChecks() throws {
    let session = try DisplayedSession(signUpOn: machine)
    try session.waitForScreen("sign-up-empty")
    try session.type("ch")
    try session.waitForDisplay(of: "○ Add 1 character\n")
    try session.type("ihiro")
    try session.waitForDisplay(of: "✓ Not taken yet")
    try session.type("\tCHIHIROz")
    try session.waitForDisplay("a broken password") {
      $0.lines.prefix(8) == [
        "  New account at example.org", "", "  ✓ User name        chihiro", "",
        "  ✗ Password         ••••••••", "    ✓ At least 1 uppercase letter A–Z",
        "    ○ Add 1 digit", "    ✓ Only ASCII characters",
      ] && $0.text.contains("✗ Must not contain the user name") && $0.cursor == (4, 29)
    }
    try session.type("\u{15}Totoro7\rTotoro8")
    try session.waitForDisplay(of: "✗ Must match the other field")
    try session.type("\u{7F}")
    try session.waitForDisplay(of: "○ Must match the other field")
    // A line break that is pasted submits nothing.
    try session.type("\u{1B}[200~\r\n7\u{1B}[201~")
    try session.waitForScreen("sign-up-complete")
    try session.type("\r")
    #expect(try session.waitForSuccess())
    #expect(!session.screen.contains("otoro"))
    #expect(try machine.password() == "Totoro7")
  }

  @Test func suggestionIsTakenWithAKey() throws {
    let session = try DisplayedSession(signUpOn: machine)
    try session.typeName()
    try session.type("\t")
    try session.waitForDisplay(of: "Suggestion: ")
    try session.type("\u{7}")
    try session.waitForDisplay(of: "100 %")
    try session.type("\u{12}")
    try session.waitForDisplay(of: "Ctrl-R hide password")
    let lines = session.display.lines.filter { $0.contains("assword  ") }
    #expect(lines.count == 2)
    try session.type("\r")
    #expect(try session.waitForSuccess())
    let password = try #require(try machine.password())
    // The lines of the display have no blanks at their ends, where a password may have some.
    let end = try #require(password.lastIndex { $0 != " " })
    #expect(lines.allSatisfy { $0.hasSuffix("  \(password[...end])") })
    #expect(try PasswordRuleSet(SignUpSession.rules).isSatisfied(by: password))
  }

  @Test func incompleteFormIsNotSubmitted() async throws {
    try await machine.store("x", site: SignUpSession.site, account: "Chihiro")
    let session = try DisplayedSession(signUpOn: machine)
    try session.waitForForm()
    try session.type("chihiro")
    try session.waitForDisplay(of: "✗ Not taken yet at example.org")
    try session.type("\r\r\r")
    try session.waitForDisplay("the first field again") {
      $0.text.contains("Something is missing or wrong here.") && $0.cursor == (2, 28)
    }
    try session.type("\u{3}")
    #expect(try session.end() == -SIGINT)
    #expect(try machine.password(of: "chihiro") == nil)
  }

  @Test func formFollowsTheSizeOfTheTerminal() throws {
    let session = try DisplayedSession(signUpOn: machine)
    try session.typeName()
    session.resize(columns: 24, rows: 12)
    try session.waitForScreen("sign-up-24-columns")
    session.resize(columns: 100, rows: 30)
    try session.waitForDisplay(of: "Ctrl-G take the suggestion\n  Esc cancel")
    try session.type("\u{4}")
    #expect(try session.end() == 1)
    #expect(session.isGivenBack)
  }

  @Test func formIsPlainWithoutColorsAndUnicode() throws {
    let session = try DisplayedSession(
      signUpOn: machine, variables: ["TERM=vt100", "LC_ALL=C", "NO_COLOR=1"], language: "de")
    try session.waitForDisplay(of: ". Mindestens 3 Zeichen")
    #expect(session.display.text.utf8.allSatisfy { $0 < 0x80 })
    #expect(session.display.styles.isSubset(of: ["0", "1", "2", "4"]))
    try session.type("\u{1B}")
    #expect(try session.end() == 1)
    #expect(session.isGivenBack && session.display.unknown == [])
  }
}
