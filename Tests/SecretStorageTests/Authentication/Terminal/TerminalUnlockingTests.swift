import CLibrary
import TestSupport
import Testing

@testable import SecretStorage

/// Unlocking a vault by asking on a terminal; serialized, because each test blocks a thread.
@Suite(.serialized)
struct TerminalUnlockingTests {
  private let vault = TestVault()

  init() throws {
    try vault.open().setPassphrase(Secret("open sesame".utf8), cost: .cheap)
  }

  private func session(
    attempts: Int = 3, milliseconds: Int = 0, _ kind: String = ""
  ) throws -> PseudoTerminal {
    try PseudoTerminal(
      executable: "VaultProcess",
      ["unlock", vault.path, vault.statePath, "\(attempts)", "\(milliseconds)", kind])
  }

  private static let question = "Show the recovery key\r\nPassphrase: \r\n"

  private func screen(after error: SecretStoreError) -> String {
    Self.question + "Error: \(error)\r\nLocked: true\r\n"
  }

  @Test(arguments: [1, 2, 3]) func theRightPassphraseUnlocks(attempt: Int) throws {
    let session = try session()
    for _ in 1..<attempt { try session.answer("Passphrase: ", "open barley") }
    try session.answer("Passphrase: ", "open sesame")
    #expect(try session.end() == 0)
    let retry = "The passphrase is wrong. Try again.\r\nPassphrase: \r\n"
    let retries = String(repeating: retry, count: attempt - 1)
    #expect(session.screen == Self.question + retries + "Unlocked: true\r\n")
    #expect(session.settings == session.settingsBefore)
  }

  @Test func theLastWrongPassphraseIsSaid() throws {
    let session = try session(attempts: 2)
    for number in 1...2 { try session.answer("Passphrase: ", "open barley \(number)") }
    #expect(try session.end() == 0)
    let wrong = "The passphrase is wrong.\r\nError: \(SecretStoreError.wrongPassphrase)\r\n"
    #expect(session.screen.hasSuffix(wrong + "Locked: true\r\n"), "\(session.screen)")
    #expect(session.screen.ranges(of: "Passphrase: ").count == 2)
    #expect(!session.screen.contains("barley"))
    #expect(session.settings == session.settingsBefore)
  }

  @Test func anEmptyAnswerIsAWrongPassphrase() throws {
    let session = try session(attempts: 1)
    try session.answer("Passphrase: ", "")
    #expect(try session.end() == 0)
    #expect(session.screen.contains("The passphrase is wrong.\r\n"), "\(session.screen)")
  }

  @Test func theEndOfInputCancels() throws {
    let session = try session()
    try session.waitForPrompt("Passphrase: ")
    try session.type(PseudoTerminal.endOfInput)
    #expect(try session.end() == 0)
    #expect(session.screen == screen(after: .cancelled))
    #expect(session.settings == session.settingsBefore)
  }

  @Test func anInterruptEndsTheProcess() throws {
    let session = try session()
    try session.waitForPrompt("Passphrase: ")
    try session.type("open\(PseudoTerminal.interrupt)")
    let status = try session.end()
    #expect(status == -SIGINT, "\(session.screen)")
    #expect(session.settings == session.settingsBefore)
  }

  @Test func anInterruptThatTheAppHandlesCancels() throws {
    let session = try session("handling")
    try session.waitForPrompt("Passphrase: ")
    try session.type("open\(PseudoTerminal.interrupt)")
    #expect(try session.end() == 0)
    #expect(session.screen.hasSuffix("Error: \(SecretStoreError.cancelled)\r\nLocked: true\r\n"))
    #expect(session.screen.contains("A signal came.\r\n"))
    #expect(session.settings == session.settingsBefore)
  }

  @Test func cancellingTheTaskEndsTheQuestion() throws {
    let session = try session("cancelled")
    try session.waitForPrompt("Passphrase: ")
    try session.type("open")
    kill(session.process, SIGUSR1)
    #expect(try session.end() == 0)
    #expect(session.screen == screen(after: .cancelled))
    #expect(session.settings == session.settingsBefore)
  }

  @Test func aQuestionWithoutAnAnswerTimesOut() throws {
    let session = try session(milliseconds: 300)
    try session.waitForPrompt("Passphrase: ")
    try session.type("open")
    #expect(try session.end() == 0)
    let error = SecretStoreError.unavailable("The question was not answered within 0.3 seconds.")
    #expect(session.screen == screen(after: error), "\(session.screen)")
    #expect(session.settings == session.settingsBefore)
  }

  @Test func aHangupEndsTheProcess() throws {
    let session = try session()
    try session.waitForPrompt("Passphrase: ")
    kill(session.process, SIGHUP)
    let status = try session.end()
    #expect(status == -SIGHUP, "\(session.screen)")
    #expect(session.settings == session.settingsBefore)
  }

  @Test func aProcessWithoutATerminalSaysSo() throws {
    let directory = try TemporaryDirectory()
    let program = try ChildProcess.path(ofExecutable: "VaultProcess")
    let process = try ChildProcess(
      "/usr/bin/setsid", ["--wait", program, "unlock", vault.path, vault.statePath, "3", "0"],
      output: directory("output"))
    try process.wait()
    let output = String(decoding: try content(of: directory("output")), as: UTF8.self)
    #expect(output.hasPrefix("Error: There is no terminal to ask on: "), "\(output)")
    #expect(output.hasSuffix("Locked: true\n"), "\(output)")
  }
}
