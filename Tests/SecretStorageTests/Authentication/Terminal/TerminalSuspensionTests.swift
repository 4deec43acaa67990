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

  @Test(.enabled(if: ProcessMemory.isReadable, "The memory of a child cannot be read."))
  func vaultIsLockedBeforeControlZStops() throws {
    let object = vault.open()
    try object.add("text", account: "account")
    let user = try #require(
      try object.read { contents throws(SecretStoreError) in contents.keys.ring.user })
    let needles = unsafe user.withUnsafeBytes { [(name: "user key", bytes: unsafe Array($0))] }
    let session = try vault.terminal("locking")
    try session.waitForPrompt("Password: ")
    try session.type("taj" + PseudoTerminal.suspend)
    for round in 2...4 {
      try session.waitForStop()
      #expect(session.settings == session.settingsBefore)
      #expect(try ProcessMemory(of: session.process).names(of: needles) == [])
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

  @Test func passphraseIsNotEchoedAfterControlZInAShell() throws {
    let session = try vault.shell(
      "locking",
      """
      "$0" "$@"; stty echo icanon; echo stopped; read line; fg; echo ended $?
      """)
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

  @Test(arguments: [("hidden", true), ("locking", false)])
  func passphraseIsNotEchoedAfterAStop(kind: String, isShown: Bool) throws {
    let session = try vault.terminal(kind)
    try session.waitForPrompt("Password: ")
    for round in 2...4 {
      kill(session.process, SIGSTOP)
      try session.waitForStop()
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

  @Test func visibleQuestionIsAskedAgainAfterAStop() throws {
    let session = try vault.terminal("visible")
    try session.waitForText("Name: ")
    try session.type("Ki")
    try session.waitForText("Ki")
    kill(session.process, SIGSTOP)
    try session.waitForStop()
    kill(session.process, SIGCONT)
    try session.wait(for: "the question") { $0.hasSuffix("\r\nName: ") }
    try session.type("ab\n")
    #expect(try session.end() == 0)
    #expect(session.screen.hasSuffix("Answer: 61 62\r\n"))
  }

  @Test func handlerOfTheAppGetsTheContinueSignal() throws {
    let session = try vault.terminal("handling")
    try session.waitForPrompt("Password: ")
    kill(session.process, SIGSTOP)
    try session.waitForStop()
    kill(session.process, SIGCONT)
    try session.waitForPrompt("Password: ", times: 2)
    try session.type("secret\n")
    #expect(try session.end() == 0)
    // The signal was held during the question, and delivered once.
    #expect(session.screen.ranges(of: "A signal came.\r\n").count == 1)
  }

  @Test func continuedBackgroundProcessDoesNotAsk() throws {
    let session = try vault.shell(
      "hidden",
      """
      "$0" "$@" & p=$!; fg; stty echo icanon; echo stopped; bg; \
      while ! grep -q '^State:.T' "/proc/$p/status"; do sleep 0.01; done; \
      echo waiting; read line; echo "line $line"; fg; echo ended $?
      """)
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
