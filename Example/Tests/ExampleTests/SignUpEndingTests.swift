import Foundation
import SecretStorage
import Testing

@testable import Example

/// At each end of the form, the terminal is as it was, and no typed text remains.
struct SignUpEndingTests {
  private let machine: Machine

  init() throws { machine = try Machine() }

  private func session() throws -> DisplayedSession {
    let session = try DisplayedSession(signUpOn: machine)
    try session.waitForForm()
    try session.type("chi")
    try session.waitForDisplay(of: "✓ At least 3 characters")
    #expect(!session.isGivenBack)
    return session
  }

  private func expectNothingKept(_ session: DisplayedSession) throws {
    #expect(session.isGivenBack)
    #expect(!session.display.text.contains("chi"))
    #expect(try machine.vault.items(matching: .all).isEmpty)
  }

  @Test(arguments: ["\u{1B}", PseudoTerminal.endOfInput]) func escapeAndEndOfInputCancel(
    key: String
  ) throws {
    let session = try session()
    try session.type(key)
    #expect(try session.end() == 1)
    #expect(session.display.text == "Example: Cancelled. Nothing was saved.")
    try expectNothingKept(session)
  }

  @Test(arguments: [(PseudoTerminal.interrupt, SIGINT), ("\u{1C}", SIGQUIT)])
  func signalKeyEndsTheProgram(key: String, number: Int32) throws {
    let session = try session()
    try session.type(key)
    #expect(try session.end() == -number)
    try expectNothingKept(session)
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGALRM, SIGSEGV, SIGABRT, SIGILL])
  func signalOrCrashEndsTheProgram(number: Int32) throws {
    let session = try session()
    kill(session.process, number)
    #expect(try session.end() == -number)
    try expectNothingKept(session)
  }

  @Test func crashesOfAllThreadsEndTheProgram() throws {
    let session = try session()
    let threads = try FileManager.default.contentsOfDirectory(
      atPath: "/proc/\(session.process)/task")
    // The kernel prefers the thread that a number is of.
    for (thread, number) in zip(threads, [SIGILL, SIGSEGV, SIGABRT, SIGBUS, SIGFPE]) {
      kill(pid_t(thread)!, number)
    }
    #expect(try session.end() < 0)
    try expectNothingKept(session)
  }

  @Test func signalAfterTheLastKeyTakesEffect() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      let signals = try HeldSignals()
      HeldSignals.unblocking(SIGTERM) { _ = raise(SIGTERM) }
      _ = consume signals
    }
  }

  @Test func suspendedFormRestoresTheTerminal() throws {
    // A shell with job control, which can continue the program.
    let script =
      "\"$0\" signup --site \(SignUpSession.site) --language en; echo stopped; read line; fg; "
      + "echo ended $?"
    let session = try DisplayedSession(
      ["/bin/sh", "-m", "-c", script, machine.executable], on: machine,
      variables: SignUpSession.variables)
    try session.waitForDisplay(of: "Esc cancel")
    try session.type("chi")
    try session.waitForDisplay(of: "✓ Not taken yet")
    try session.type(PseudoTerminal.suspend)
    try session.waitForDisplay("the shell") { $0.text.hasSuffix("stopped") }
    #expect(session.isGivenBack && !session.display.text.contains("User name"))
    try session.type("\n")
    try session.waitForDisplay("the form again") {
      $0.isAlternate && $0.text.contains("✓ User name        chi\n") && $0.cursor == (2, 24)
    }
    try session.type("hiro\t\u{7}")
    try session.waitForDisplay(of: "100 %")
    try session.type("\r")
    try session.waitForText("ended 0")
    _ = try session.end()
    #expect(session.isGivenBack)
    #expect(try machine.password() != nil)
  }

  @Test func formStartedInTheBackgroundUsesLaterSettings() throws {
    let script = """
      stty -echo; "$0" signup --language en & until jobs >"$HOME/jobs"; grep -q Stopped "$HOME/jobs"
      do sleep 0.02; done; stty echo; fg; echo ended $?
      """
    let session = try DisplayedSession(
      ["/bin/sh", "-m", "-c", script, machine.executable], on: machine,
      variables: SignUpSession.variables)
    try session.waitForDisplay(of: "Esc cancel")
    try session.type(PseudoTerminal.endOfInput)
    try session.waitForText("ended 1")
    _ = try session.end()
    #expect(session.isGivenBack)
  }
}
