import CLibrary
import TestSupport
import Testing

@testable import SecretStorage

/// Suspension and continuation of a process that asks a question.
///
/// Serialized, because each test blocks one of the few threads of Swift's pool.
@Suite(.serialized)
struct TerminalSuspensionTests {
  private let vault = TestVault()

  private func session(_ kind: String) throws -> PseudoTerminal {
    try PseudoTerminal(
      executable: "VaultProcess", ["ask", vault.path, vault.statePath, kind])
  }

  /// A shell with job control, which can continue the process.
  private func shell(_ script: String, _ kind: String) throws -> PseudoTerminal {
    let words = [
      try ChildProcess.path(ofExecutable: "VaultProcess"), vault.path, vault.statePath, kind,
    ]
    return try PseudoTerminal(["/bin/sh", "-m", "-c", script] + words)
  }

  @Test func vaultIsLockedAndTheTerminalShowsTypingBeforeCtrlZStopsTheProcess() throws {
    let object = vault.open()
    try object.add("text", account: "account")
    let user = try #require(
      try object.read { contents throws(SecretStoreError) in contents.keys.ring.user })
    let needles = unsafe user.withUnsafeBytes { [(name: "user key", bytes: unsafe Array($0))] }
    let session = try session("locking")
    try session.waitForPrompt("Password: ")
    try session.type("taj" + PseudoTerminal.suspend)
    for round in 2...4 {
      try wait { try isProcessStopped(session.process) }
      #expect(session.settings == session.settingsBefore)
      if ProcessMemory.isReadable {
        #expect(try ProcessMemory(of: session.process).names(of: needles) == [])
      }
      kill(session.process, SIGCONT)
      try session.waitForPrompt("Password: ", times: round)
      if round < 4 { try session.type("taj" + PseudoTerminal.suspend) }
    }
    try session.type("secret\n")
    #expect(try session.end() == 0)
    #expect(
      session.screen == String(repeating: "Password: \r\n", count: 4) + Self.answer)
    #expect(session.settings == session.settingsBefore)
  }

  @Test func passphraseDoesNotShowAfterCtrlZUnderAShell() throws {
    let script = """
      "$0" ask "$1" "$2" "$3"; stty echo icanon; echo stopped; read line; fg; echo ended $?
      """
    let session = try shell(script, "locking")
    try session.waitForPrompt("Password: ")
    try session.type("taj" + PseudoTerminal.suspend)
    try session.waitForText("stopped\r\n")
    #expect(session.echoes)
    try session.type("\n")
    try session.waitForPrompt("Password: ", times: 2)
    try session.type("secret\n")
    try session.waitForText("ended 0")
    #expect(session.screen.contains(Self.answer))
    #expect(!session.screen.contains("secret") && !session.screen.contains("taj"))
    _ = try session.end()
    #expect(session.echoes)
  }

  @Test(arguments: ["hidden", "locking"], [true, false])
  func passphraseDoesNotShowAfterAPlainStop(kind: String, isShown: Bool) throws {
    let session = try session(kind)
    try session.waitForPrompt("Password: ")
    for round in 2...4 {
      kill(session.process, SIGSTOP)
      try wait { try isProcessStopped(session.process) }
      // A shell may turn echo on, without any notice to the process.
      if isShown { session.showTyping() } else { try session.type("typed meanwhile") }
      kill(session.process, SIGCONT)
      try session.waitForPrompt("Password: ", times: round)
    }
    try session.type("secret\n")
    #expect(try session.end() == 0)
    #expect(session.screen == String(repeating: "Password: \r\n", count: 4) + Self.answer)
    #expect(session.settings == session.settingsBefore)
  }

  @Test func visibleQuestionIsAskedAgainAfterAPlainStop() throws {
    let session = try session("visible")
    try session.waitForText("Name: ")
    try session.type("Ki")
    try session.waitForText("Ki")
    kill(session.process, SIGSTOP)
    try wait { try isProcessStopped(session.process) }
    kill(session.process, SIGCONT)
    try session.wait(for: "the question") { $0.hasSuffix("\r\nName: ") }
    try session.type("ab\n")
    #expect(try session.end() == 0)
    #expect(session.screen.hasSuffix("Answer: 61 62\r\n"))
  }

  @Test func handlerOfTheAppHearsThatTheProcessGoesOn() throws {
    let session = try session("handling")
    try session.waitForPrompt("Password: ")
    kill(session.process, SIGSTOP)
    try wait { try isProcessStopped(session.process) }
    kill(session.process, SIGCONT)
    try session.waitForPrompt("Password: ", times: 2)
    try session.type("secret\n")
    #expect(try session.end() == 0)
    // The signal was held during the question, and delivered once.
    #expect(session.screen.ranges(of: "A signal came.\r\n").count == 1)
  }

  @Test func processThatGoesOnInTheBackgroundLeavesTheTerminalAlone() throws {
    let script = """
      "$0" ask "$1" "$2" "$3" & p=$!; fg; stty echo icanon; echo stopped; bg; \
      while ! grep -q '^State:.T' "/proc/$p/status"; do sleep 0.01; done; \
      echo waiting; read line; echo "line $line"; fg; echo ended $?
      """
    let session = try shell(script, "hidden")
    try session.waitForPrompt("Password: ")
    kill(-session.foregroundGroup, SIGSTOP)
    try session.waitForText("waiting\r\n")
    #expect(session.echoes)
    try session.type("mine\n")
    try session.waitForText("line mine")
    try session.waitForPrompt("Password: ", times: 2)
    try session.type("secret\n")
    try session.waitForText("ended 0")
    #expect(session.screen.contains(Self.answer))
    #expect(!session.screen.contains("secret"))
    _ = try session.end()
    #expect(session.echoes)
  }

  private static let answer = "Answer: 73 65 63 72 65 74\r\n"
}
