import CLibrary
import FoundationEssentials
import TestSupport
import Testing

@testable import SecretStorage

/// Questions on a terminal; serialized, because each blocks one of the pool's few threads.
@Suite(.serialized)
struct TerminalConversationTests {
  private let vault = TestVault()

  @Test func hiddenAnswerIsNotEchoed() throws {
    let session = try vault.terminal("hidden")
    try session.answer("Password: ", "tajny")
    #expect(try session.end() == 0)
    #expect(session.screen == "Password: \r\nAnswer: 74 61 6a 6e 79\r\n")
    #expect(session.echoes)
  }

  @Test func visibleAnswerIsEchoed() throws {
    let session = try vault.terminal("visible")
    try session.waitForText("Name: ")
    #expect(session.echoes)
    try session.type("Kikj\u{7F}i\n")
    #expect(try session.end() == 0)
    #expect(session.screen.hasPrefix("Name: Kikj\u{8} \u{8}i\r\nAnswer: "))
    #expect(session.screen.hasSuffix("Answer: 4b 69 6b 69\r\n"))
  }

  @Test func editingKeysApplyToAHiddenLine() throws {
    let session = try vault.terminal("hidden")
    try session.waitForPrompt("Password: ")
    try session.type("nothing\u{15}one two\u{17}x\u{7F}\u{16}\u{4}z\n")
    #expect(try session.end() == 0)
    #expect(session.screen.hasSuffix("Answer: 6f 6e 65 20 4 7a\r\n"), "\(session.screen)")
  }

  @Test(arguments: [4096, 64 * 1024])
  func longAnswerIsKeptUnchanged(count: Int) throws {
    let session = try vault.terminal("hidden")
    try session.answer("Password: ", String(repeating: "x", count: count))
    #expect(try session.end() == 0)
    #expect(session.screen == "Password: \r\nAnswer: \(count) bytes, 1 different\r\n")
  }

  @Test func oversizedHiddenAnswerIsAnError() throws {
    let session = try vault.terminal("hidden")
    try session.answer("Password: ", String(repeating: "x", count: 64 * 1024 + 1))
    #expect(try session.end() == 0)
    #expect(session.screen.contains("exceed 65536 bytes"), "\(session.screen)")
    #expect(session.echoes)
  }

  @Test func truncatedVisibleLineIsAnError() throws {
    let session = try vault.terminal("visible")
    try session.waitForText("Name: ")
    try session.type(String(repeating: "x", count: 5000) + "\n")
    #expect(try session.end() == 0)
    #expect(session.screen.contains("exceed 4093 bytes"), "\(session.screen.suffix(200))")
  }

  @Test(arguments: ["hidden", "visible"]) func endOfInputIsACancellation(kind: String) throws {
    let session = try vault.terminal(kind)
    try session.waitForText(": ")
    if kind == "hidden" { try session.waitForPrompt("Password: ") }
    try session.type(PseudoTerminal.endOfInput)
    #expect(try session.end() == 0)
    #expect(session.screen.hasSuffix("Error: \(SecretStoreError.cancelled)\r\n"))
    #expect(session.settings == session.settingsBefore)
  }

  @Test(arguments: [(PseudoTerminal.interrupt, SIGINT), (PseudoTerminal.quit, SIGQUIT)])
  func interruptKeyRestoresTheTerminal(key: String, number: Int32) throws {
    let session = try vault.terminal("hidden")
    try session.waitForPrompt("Password: ")
    try session.type("taj\(key)")
    #expect(try session.end() == -number, "\(session.screen)")
    #expect(session.settings == session.settingsBefore)
  }

  @Test(arguments: [SIGTERM, SIGHUP])
  func fatalSignalRestoresTheTerminal(number: Int32) throws {
    let session = try vault.terminal("hidden")
    try session.waitForPrompt("Password: ")
    #expect(session.settings != session.settingsBefore)
    kill(session.process, number)
    #expect(try session.end() == -number, "\(session.screen)")
    #expect(session.settings == session.settingsBefore)
  }

  @Test func handledSignalCancelsTheQuestion() throws {
    let session = try vault.terminal("handling")
    try session.waitForPrompt("Password: ")
    try session.type("taj\(PseudoTerminal.interrupt)")
    #expect(try session.end() == 0)
    #expect(
      session.screen
        == "Password: \r\nA signal came.\r\nError: \(SecretStoreError.cancelled)\r\n")
    #expect(session.echoes)
  }

  @Test func taskCancellationRestoresTheTerminal() throws {
    let session = try vault.terminal("cancelled")
    try session.waitForPrompt("Password: ")
    try session.type("taj")
    kill(session.process, SIGUSR1)
    #expect(try session.end() == 0)
    #expect(session.screen == "Password: \r\nError: \(SecretStoreError.cancelled)\r\n")
    #expect(session.settings == session.settingsBefore)
  }

  @Test func concurrentQuestionsAreAskedInTurn() throws {
    let session = try vault.terminal("twice")
    try session.answer("Password: ", "one")
    // The first answer may be printed before or after the second question.
    try session.wait(for: "a second prompt") { $0.ranges(of: "Password: ").count == 2 }
    try session.type("two\n")
    #expect(try session.end() == 0)
    for answer in ["Answer: 6f 6e 65", "Answer: 74 77 6f"] {
      #expect(session.screen.contains("\(answer)\r\n"))
    }
    #expect(session.settings == session.settingsBefore)
  }

  @Test func backgroundProcessDoesNotUseTheTerminal() throws {
    let session = try vault.shell(
      "hidden",
      """
      "$0" "$@" & \
      while ! grep -q '^State:.T' "/proc/$!/status"; do sleep 0.01; done; \
      echo waiting; read line; echo "line $line"; fg; echo ended $?
      """)
    try session.waitForText("waiting\r\n")
    #expect(session.echoes)
    try session.type("mine\n")
    try session.waitForText("line mine")
    try session.answer("Password: ", "ab")
    try session.waitForText("ended 0")
    #expect(session.screen.contains("Answer: 61 62\r\n"))
    _ = try session.end()
  }

  @Test func ignoredInterruptStaysIgnored() throws {
    let session = try PseudoTerminal(
      ["/bin/sh", "-c", "trap '' INT; exec \"$0\" \"$@\""] + vault.asking("hidden"))
    try session.waitForPrompt("Password: ")
    // The terminal discards input typed before the key.
    try session.type(PseudoTerminal.interrupt)
    try session.type("ab\n")
    #expect(try session.end() == 0)
    #expect(session.screen.hasSuffix("Answer: 61 62\r\n"))
  }

  @Test func missingTerminalIsAnError() throws {
    let directory = try TemporaryDirectory()
    let process = try ChildProcess(
      "/usr/bin/setsid", ["--wait"] + vault.asking("hidden"), output: directory("output"))
    try process.wait()
    let output = String(decoding: try content(of: directory("output")), as: UTF8.self)
    #expect(output.hasPrefix("Error: There is no terminal to ask on: "), "\(output)")
  }

  @Test func thirdAttemptProvesThePassphrase() throws {
    try vault.open().setPassphrase(Secret("open sesame".utf8), cost: .cheap)
    let session = try PseudoTerminal(
      executable: "VaultProcess", ["authenticate", vault.path, vault.statePath, "3"])
    for _ in 1...2 { try session.answer("Passphrase: ", "open barley") }
    try session.answer("Passphrase: ", "open sesame")
    #expect(try session.end() == 0)
    let wrong = "Passphrase: \r\nThe passphrase is wrong. Try again.\r\n"
    #expect(
      session.screen == "Show the recovery key\r\n" + wrong + wrong
        + "Passphrase: \r\nProved: a passcode\r\n")
  }
}
