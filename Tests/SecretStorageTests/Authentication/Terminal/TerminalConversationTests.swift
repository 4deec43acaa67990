import CLibrary
import FoundationEssentials
import TestSupport
import Testing

@testable import SecretStorage

/// Questions on a terminal; serialized, because each blocks one of the pool's few threads.
@Suite(.serialized) struct TerminalConversationTests {
  private let vault = TestVault()

  /// The words that start a process of a kind that asks on its terminal.
  private func asking(_ kind: String) throws -> [String] {
    [try ChildProcess.path(ofExecutable: "VaultProcess"), "ask", vault.path, vault.statePath, kind]
  }

  private func terminal(_ kind: String) throws -> PseudoTerminal {
    try PseudoTerminal(asking(kind))
  }

  /// Runs a script in a shell with job control, where `"$0" "$@"` starts such a process.
  private func shell(_ kind: String, _ script: String) throws -> PseudoTerminal {
    try PseudoTerminal(["/bin/sh", "-m", "-c", script] + asking(kind))
  }

  /// A process that has asked for a password, or visibly for a name.
  private func asked(_ kind: String = "hidden") throws -> PseudoTerminal {
    let session = try terminal(kind)
    try kind == "visible" ? session.waitForText("Name: ") : session.waitForPrompt("Password: ")
    return session
  }

  @Test(arguments: [
    ("tajny", "74 61 6a 6e 79"),
    ("nothing\u{15}one two\u{17}x\u{7F}\u{16}\u{4}z", "6f 6e 65 20 4 7a"),
  ])
  func hiddenAnswerIsEditedAndNotEchoed(keys: String, bytes: String) throws {
    let session = try asked()
    try finish(session, typing: "\(keys)\n")
    #expect(session.screen == "Password: \r\nAnswer: \(bytes)\r\n")
  }

  @Test func visibleAnswerIsEchoed() throws {
    let session = try asked("visible")
    #expect(session.echoes)
    try finish(session, typing: "Kikj\u{7F}i\n")
    #expect(session.screen.hasPrefix("Name: Kikj\u{8} \u{8}i\r\nAnswer: "))
    #expect(session.screen.hasSuffix("Answer: 4b 69 6b 69\r\n"))
  }

  @Test(arguments: [4096, 64 * 1024]) func longAnswerIsKeptUnchanged(count: Int) throws {
    let session = try terminal("hidden")
    try session.answer("Password: ", String(repeating: "x", count: count))
    try finish(session)
    #expect(session.screen == "Password: \r\nAnswer: \(count) bytes, 1 different\r\n")
  }

  @Test(arguments: [("hidden", 64 * 1024 + 1, 65536), ("visible", 5000, 4093)])
  func oversizedAnswerIsAnError(kind: String, count: Int, limit: Int) throws {
    let session = try asked(kind)
    try finish(session, typing: String(repeating: "x", count: count) + "\n")
    #expect(session.screen.contains("exceed \(limit) bytes"), "\(session.screen.suffix(200))")
  }

  @Test(arguments: ["hidden", "visible"]) func endOfInputIsACancellation(kind: String) throws {
    let session = try asked(kind)
    try finish(session, typing: PseudoTerminal.endOfInput)
    #expect(session.screen.hasSuffix("Error: \(SecretStoreError.cancelled)\r\n"))
  }

  @Test(arguments: [
    SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGPIPE, SIGIO, 64,
  ])
  func fatalSignalRestoresTheTerminal(number: Int32) throws {
    let session = try asked()
    #expect(session.settings != session.settingsBefore)
    try session.type("taj")
    switch number {
    case SIGINT: try session.type(PseudoTerminal.interrupt)
    case SIGQUIT: try session.type(PseudoTerminal.quit)
    default: kill(session.process, number)
    }
    #expect(try session.end() == -number, "\(session.screen)")
    #expect(session.settings == session.settingsBefore)
  }

  /// The numbers of signal(7).
  @Test func allSignalsThatEndAProcessAreDeferred() {
    let crashes: Set<Int32> = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS]
    let notCatchable: Set<Int32> = [SIGKILL, SIGSTOP, 32, 33]
    let ignored: Set<Int32> = [SIGCHLD, SIGURG, SIGWINCH]
    // A process in the background is stopped as usual.
    let stops: Set<Int32> = [SIGTTIN, SIGTTOU]
    let others = crashes.union(notCatchable).union(ignored).union(stops)
    #expect(Set(DeferredSignals.all) == Set(1...64).subtracting(others))
  }

  @Test func signalAfterTheAnswerIsDelivered() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      recordingErrors {
        let signals = try DeferredSignals()
        ThreadSignals.unblocking([SIGTERM]) { _ = raise(SIGTERM) }
        signals.restore()
      }
    }
  }

  @Test func handledSignalCancelsTheQuestion() throws {
    let session = try asked("handling")
    try finish(session, typing: "taj\(PseudoTerminal.interrupt)")
    let error = "Error: \(SecretStoreError.cancelled)\r\n"
    #expect(session.screen == "Password: \r\nA signal came.\r\n" + error)
  }

  @Test func taskCancellationRestoresTheTerminal() throws {
    let session = try asked("cancelled")
    try session.type("taj")
    kill(session.process, SIGUSR1)
    try finish(session)
    #expect(session.screen == "Password: \r\nError: \(SecretStoreError.cancelled)\r\n")
  }

  @Test func concurrentQuestionsAreAskedInTurn() throws {
    let session = try terminal("twice")
    try session.answer("Password: ", "one")
    // The first answer may be printed before or after the second question.
    try session.wait(for: "a second prompt") { $0.ranges(of: "Password: ").count == 2 }
    try finish(session, typing: "two\n")
    for answer in ["Answer: 6f 6e 65", "Answer: 74 77 6f"] {
      #expect(session.screen.contains("\(answer)\r\n"))
    }
  }

  @Test func backgroundProcessDoesNotUseTheTerminal() throws {
    let session = try shell(
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
      ["/bin/sh", "-c", "trap '' INT; exec \"$0\" \"$@\""] + asking("hidden"))
    try session.waitForPrompt("Password: ")
    // The terminal discards input typed before the key.
    try session.type(PseudoTerminal.interrupt)
    try finish(session, typing: "ab\n")
    #expect(session.screen.hasSuffix("Answer: 61 62\r\n"))
  }

  @Test func missingTerminalIsAnError() throws {
    let directory = try TemporaryDirectory()
    let process = try ChildProcess(
      "/usr/bin/setsid", ["--wait"] + asking("hidden"), output: directory("output"))
    try process.wait()
    let output = String(decoding: try content(of: directory("output")), as: UTF8.self)
    #expect(output.hasPrefix("Error: There is no terminal to ask on: "), "\(output)")
  }

  @Test func thirdAttemptProvesThePassphrase() throws {
    try vault.open().setPassphrase("open sesame", cost: .cheap)
    let session = try PseudoTerminal(
      executable: "VaultProcess", ["authenticate", vault.path, vault.statePath, "3"])
    for _ in 1...2 { try session.answer("Passphrase: ", "open barley") }
    try session.answer("Passphrase: ", "open sesame")
    try finish(session)
    let wrong = "Passphrase: \r\nThe passphrase is wrong. Try again.\r\n"
    #expect(
      session.screen == "Show the recovery key\r\n" + wrong + wrong
        + "Passphrase: \r\nProved: a passcode\r\n")
  }

  @Test(.enabled(if: ProcessMemory.isReadable, "The memory of a child cannot be read."))
  func vaultIsLockedBeforeControlZStops() throws {
    let object = try vault.open().adding("text", account: "account")
    let needles = [(name: "user key", bytes: try CapturedKeys(object).user.bytes)]
    let session = try asked("locking")
    try session.type("taj" + PseudoTerminal.suspend)
    for round in 2...4 {
      try session.waitForStop()
      #expect(session.settings == session.settingsBefore)
      #expect(try ProcessMemory(of: session.process).names(of: needles) == [])
      kill(session.process, SIGCONT)
      try session.waitForPrompt("Password: ", times: round)
      if round < 4 { try session.type("taj" + PseudoTerminal.suspend) }
    }
    try finish(session, typing: "secret\n")
    #expect(session.screen == String(repeating: "Password: \r\n", count: 4) + Self.answer)
  }

  @Test func passphraseIsNotEchoedAfterControlZInAShell() throws {
    let session = try shell(
      "locking", #""$0" "$@"; stty echo icanon; echo stopped; read line; fg; echo ended $?"#)
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
    let session = try asked(kind)
    for round in 2...4 {
      try session.stopAndContinue {
        // A shell may turn echo on, without any notice to the process.
        if isShown { session.showTyping() } else { try session.type("typed meanwhile") }
      }
      try session.waitForPrompt("Password: ", times: round)
    }
    try finish(session, typing: "secret\n")
    #expect(session.screen == String(repeating: "Password: \r\n", count: 4) + Self.answer)
  }

  @Test func visibleQuestionIsAskedAgainAfterAStop() throws {
    let session = try asked("visible")
    try session.type("Ki")
    try session.waitForText("Ki")
    try session.stopAndContinue()
    try session.wait(for: "the question") { $0.hasSuffix("\r\nName: ") }
    try finish(session, typing: "ab\n")
    #expect(session.screen.hasSuffix("Answer: 61 62\r\n"))
  }

  @Test func handlerOfTheAppGetsTheContinueSignal() throws {
    let session = try asked("handling")
    try session.stopAndContinue()
    try session.waitForPrompt("Password: ", times: 2)
    try finish(session, typing: "secret\n")
    // The signal was held during the question, and delivered once.
    #expect(session.screen.ranges(of: "A signal came.\r\n").count == 1)
  }

  @Test func continuedBackgroundProcessDoesNotAsk() throws {
    let session = try shell(
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

  /// Types the last text, and expects a process to succeed and to leave the terminal as it was.
  private func finish(
    _ session: PseudoTerminal, typing text: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try session.type(text)
    #expect(try session.end() == 0, sourceLocation: sourceLocation)
    let isAsBefore = session.echoes && session.settings == session.settingsBefore
    #expect(isAsBefore, sourceLocation: sourceLocation)
  }
}

extension PseudoTerminal {
  /// Stops the process, and continues it after a closure.
  fileprivate func stopAndContinue(_ body: () throws -> Void = {}) throws {
    kill(process, SIGSTOP)
    try waitForStop()
    try body()
    kill(process, SIGCONT)
  }
}
