import CLibrary
import FoundationEssentials
import TestSupport
import Testing

@testable import SecretStorage

/// Questions on a terminal; serialized, because each blocks one of the pool's few threads.
@Suite(.serialized)
struct TerminalConversationTests {
  private let vault = TestVault()

  private func session(_ kind: String) throws -> PseudoTerminal {
    try PseudoTerminal(
      executable: "VaultProcess", ["ask", vault.path, vault.statePath, kind])
  }

  @Test func aHiddenAnswerDoesNotShow() throws {
    let session = try session("hidden")
    try session.answer("Password: ", "tajny")
    #expect(try session.end() == 0)
    #expect(session.screen == "Password: \r\nAnswer: 74 61 6a 6e 79\r\n")
    #expect(session.echoes)
  }

  @Test func aVisibleAnswerShows() throws {
    let session = try session("visible")
    try session.waitForText("Name: ")
    #expect(session.echoes)
    try session.type("Kikj\u{7F}i\n")
    #expect(try session.end() == 0)
    #expect(session.screen.hasPrefix("Name: Kikj\u{8} \u{8}i\r\nAnswer: "))
    #expect(session.screen.hasSuffix("Answer: 4b 69 6b 69\r\n"))
  }

  @Test func keysThatEditAHiddenLineDo() throws {
    let session = try session("hidden")
    try session.waitForPrompt("Password: ")
    try session.type("nothing\u{15}one two\u{17}x\u{7F}\u{16}\u{4}z\n")
    #expect(try session.end() == 0)
    #expect(session.screen.hasSuffix("Answer: 6f 6e 65 20 4 7a\r\n"), "\(session.screen)")
  }

  @Test(arguments: [1, 4094, 4096, 20_000, 64 * 1024])
  func aLongAnswerIsTakenAsItIs(count: Int) throws {
    let session = try session("hidden")
    try session.answer("Password: ", String(repeating: "x", count: count))
    #expect(try session.end() == 0)
    let answer = count == 1 ? "Answer: 78" : "Answer: \(count) bytes, 1 different"
    #expect(session.screen == "Password: \r\n\(answer)\r\n")
  }

  @Test func anAnswerThatIsTooLongIsRefusedAndLeavesNothingBehind() throws {
    let session = try session("hidden")
    try session.answer("Password: ", String(repeating: "x", count: 64 * 1024 + 1))
    #expect(try session.end() == 0)
    #expect(session.screen.contains("exceed 65536 bytes"), "\(session.screen)")
    #expect(session.echoes)
  }

  @Test func aVisibleLineThatTheTerminalCutsOffIsRefused() throws {
    let session = try session("visible")
    try session.waitForText("Name: ")
    try session.type(String(repeating: "x", count: 5000) + "\n")
    #expect(try session.end() == 0)
    #expect(session.screen.contains("exceed 4093 bytes"), "\(session.screen.suffix(200))")
  }

  @Test(arguments: ["hidden", "visible"]) func theEndOfInputIsNoAnswer(kind: String) throws {
    let session = try session(kind)
    try session.waitForText(": ")
    if kind == "hidden" { try session.waitForPrompt("Password: ") }
    try session.type(PseudoTerminal.endOfInput)
    #expect(try session.end() == 0)
    #expect(session.screen.hasSuffix("Error: \(SecretStoreError.cancelled)\r\n"))
    #expect(session.settings == session.settingsBefore)
  }

  @Test(arguments: [(PseudoTerminal.interrupt, SIGINT), (PseudoTerminal.quit, SIGQUIT)])
  func aKeyThatEndsTheProcessLeavesTheTerminalAsItWas(key: String, number: Int32) throws {
    let session = try session("hidden")
    try session.waitForPrompt("Password: ")
    try session.type("taj\(key)")
    let status = try session.end()
    #expect(status == -number, "\(session.screen)")
    #expect(session.echoes)
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
  func aSignalThatEndsTheProcessLeavesTheTerminalAsItWas(number: Int32) throws {
    let session = try session("hidden")
    try session.waitForPrompt("Password: ")
    #expect(session.settings != session.settingsBefore)
    kill(session.process, number)
    let status = try session.end()
    #expect(status == -number, "\(session.screen)")
    #expect(session.settings == session.settingsBefore)
  }

  @Test func anAppThatHandlesASignalGetsItAndTheQuestionIsCancelled() throws {
    let session = try session("handling")
    try session.waitForPrompt("Password: ")
    try session.type("taj\(PseudoTerminal.interrupt)")
    #expect(try session.end() == 0)
    #expect(
      session.screen
        == "Password: \r\nA signal came.\r\nError: \(SecretStoreError.cancelled)\r\n")
    #expect(session.echoes)
  }

  @Test func aTaskThatIsCancelledLeavesTheTerminalAsItWas() throws {
    let session = try session("cancelled")
    try session.waitForPrompt("Password: ")
    try session.type("taj")
    kill(session.process, SIGUSR1)
    #expect(try session.end() == 0)
    #expect(session.screen == "Password: \r\nError: \(SecretStoreError.cancelled)\r\n")
    #expect(session.settings == session.settingsBefore)
  }

  @Test func oneQuestionIsAskedAfterTheOther() throws {
    let session = try session("twice")
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

  @Test func aSuspendedProcessLeavesTheTerminalAsItWasAndAsksAgain() throws {
    // A shell with job control, so that the process can be continued.
    let script = "\"$0\" ask \"$1\" \"$2\" hidden; echo stopped; read line; fg; echo ended $?"
    let session = try shell(script)
    try session.waitForPrompt("Password: ")
    try session.type("taj" + PseudoTerminal.suspend)
    try session.waitForText("stopped\r\n")
    #expect(session.echoes)
    try session.type("\n")
    try session.answer("Password: ", "ab")
    try session.waitForText("ended 0")
    #expect(session.screen.contains("Answer: 61 62\r\n"))
    _ = try session.end()
    #expect(session.echoes)
  }

  @Test func aProcessInTheBackgroundWaitsAndLeavesTheTerminalAlone() throws {
    let script = """
      "$0" ask "$1" "$2" hidden & \
      while ! grep -q '^State:.T' "/proc/$!/status"; do sleep 0.01; done; \
      echo waiting; read line; echo "line $line"; fg; echo ended $?
      """
    let session = try shell(script)
    try session.waitForText("waiting\r\n")
    #expect(session.echoes)
    try session.type("mine\n")
    try session.waitForText("line mine")
    try session.answer("Password: ", "ab")
    try session.waitForText("ended 0")
    #expect(session.screen.contains("Answer: 61 62\r\n"))
    _ = try session.end()
  }

  @Test func anIgnoredInterruptStaysIgnored() throws {
    let session = try PseudoTerminal(
      ["/bin/sh", "-c", "trap '' INT; exec \"$0\" ask \"$1\" \"$2\" hidden"] + child)
    try session.waitForPrompt("Password: ")
    // The terminal discards input typed before the key.
    try session.type(PseudoTerminal.interrupt)
    try session.type("ab\n")
    #expect(try session.end() == 0)
    #expect(session.screen.hasSuffix("Answer: 61 62\r\n"))
  }

  @Test func aProcessWithoutATerminalSaysSo() throws {
    let directory = try TemporaryDirectory()
    let process = try ChildProcess(
      "/usr/bin/setsid", ["--wait", child[0], "ask", vault.path, vault.statePath, "hidden"],
      output: directory("output"))
    try process.wait()
    let output = String(decoding: try content(of: directory("output")), as: UTF8.self)
    #expect(output.hasPrefix("Error: There is no terminal to ask on: "), "\(output)")
  }

  @Test(arguments: [1, 2, 3]) func theRightPassphraseIsProvedInThreeAttempts(attempt: Int) throws {
    try vault.open().setPassphrase(Secret("open sesame".utf8), cost: .cheap)
    let session = try authenticating()
    for _ in 1..<attempt { try session.answer("Passphrase: ", "open barley") }
    try session.answer("Passphrase: ", "open sesame")
    #expect(try session.end() == 0)
    let wrong = "Passphrase: \r\nThe passphrase is wrong. Try again.\r\n"
    #expect(
      session.screen == "Show the recovery key\r\n" + String(repeating: wrong, count: attempt - 1)
        + "Passphrase: \r\nProved: a passcode\r\n")
  }

  @Test func theThirdWrongPassphraseIsADenial() throws {
    try vault.open().setPassphrase(Secret("open sesame".utf8), cost: .cheap)
    let session = try authenticating()
    for number in 1...3 { try session.answer("Passphrase: ", "open barley \(number)") }
    #expect(try session.end() == 0)
    #expect(session.screen.contains("the passphrase was wrong 3 times"), "\(session.screen)")
    #expect(!session.screen.contains("barley"))
  }

  private func authenticating() throws -> PseudoTerminal {
    try PseudoTerminal(
      executable: "VaultProcess", ["authenticate", vault.path, vault.statePath, "3"])
  }

  private var child: [String] {
    get throws {
      [try ChildProcess.path(ofExecutable: "VaultProcess"), vault.path, vault.statePath]
    }
  }

  private func shell(_ script: String) throws -> PseudoTerminal {
    try PseudoTerminal(["/bin/sh", "-m", "-c", script] + child)
  }
}
