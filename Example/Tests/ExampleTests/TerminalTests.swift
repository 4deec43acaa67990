import FoundationEssentials
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

struct TerminalTests {
  private let machine: Machine

  init() throws {
    machine = try Machine()
  }

  private func session() throws -> TerminalSession {
    try TerminalSession("secrets", "set", "--service", "mail", on: machine)
  }

  private var stored: String {
    get throws { try machine.run("secrets", "get", "--service", "mail").output }
  }

  @Test func aTypedSecretDoesNotShow() throws {
    let session = try session()
    #expect(session.echoes || session.screen == "Secret: ")
    try session.answer("Secret: ", "tajny")
    try session.answer("The same again: ", "tajny")
    #expect(try session.end() == .exited(0))
    #expect(session.screen == "Secret: \r\nThe same again: \r\n")
    #expect(session.echoes)
    #expect(try stored == "tajny\n")
  }

  @Test func aTypedSecretIsInNoArgumentAndNoVariable() throws {
    let session = try session()
    try session.answer("Secret: ", "tajny")
    try session.waitForPrompt("The same again: ")
    for name in ["cmdline", "environ"] {
      let url = URL(filePath: "/proc/\(session.process)/\(name)")
      let text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
      #expect(!text.isEmpty && !text.contains("tajny"))
    }
    session.type("tajny\n")
    #expect(try session.end() == .exited(0))
  }

  @Test func aMistypedSecretIsNotStored() throws {
    let session = try session()
    try session.answer("Secret: ", "tajny")
    try session.answer("The same again: ", "tajnz")
    #expect(try session.end() == .exited(2))
    #expect(session.echoes)
    #expect(session.screen.contains("The two differ."))
    #expect(!session.screen.contains("tajn"))
    #expect(try stored == "")
  }

  @Test(arguments: [TerminalSession.endOfInput, "\n"]) func nothingTypedIsNoSecret(key: String)
    throws
  {
    let session = try session()
    try session.waitForPrompt("Secret: ")
    session.type(key)
    #expect(try session.end() == .exited(2))
    #expect(session.screen.contains("Nothing was typed"))
    #expect(session.echoes)
  }

  @Test func keysThatEditALineDo() throws {
    let session = try session()
    try session.waitForPrompt("Secret: ")
    session.type("tajnz\u{7F}y\n")
    try session.answer("The same again: ", "x\u{15}tajny")
    #expect(try session.end() == .exited(0))
    #expect(try stored == "tajny\n")
  }

  @Test func ctrlCEndsTheProgramAndLeavesTheTerminalAsItWas() throws {
    let session = try session()
    try session.waitForPrompt("Secret: ")
    session.type("taj" + TerminalSession.interrupt)
    #expect(try session.end() == .killed(by: SIGINT))
    #expect(session.echoes)
  }

  @Test(arguments: [SIGTERM, SIGHUP, SIGQUIT])
  func aSignalEndsTheProgramAndLeavesTheTerminalAsItWas(number: Int32) throws {
    let session = try session()
    try session.waitForPrompt("Secret: ")
    kill(session.process, number)
    #expect(try session.end() == .killed(by: number))
    #expect(session.echoes)
  }

  @Test func aSuspendedProgramLeavesTheTerminalAsItWasAndAsksAgain() throws {
    // A shell with job control, so that there is somebody who can let the program go on.
    let script = "\"$0\" secrets set --service mail; echo stopped; read line; fg; echo ended $?"
    let session = try TerminalSession(
      ["/bin/sh", "-m", "-c", script, Machine.executable], on: machine)
    try session.waitForPrompt("Secret: ")
    session.type("taj" + TerminalSession.suspend)
    try session.waitForText("stopped\r\n")
    #expect(session.echoes)
    session.type("\n")
    try session.answer("Secret: ", "hemlig")
    try session.answer("The same again: ", "hemlig")
    try session.waitForText("ended 0")
    _ = try session.end()
    #expect(!session.screen.contains("hemlig"))
    #expect(try stored == "hemlig\n")
  }

  @Test(arguments: [true, false])
  func aStoppedProgramShowsNothingTypedAfterwards(isShown: Bool) throws {
    let session = try session()
    try session.waitForPrompt("Secret: ")
    for round in 2...4 {
      kill(session.process, SIGSTOP)
      try session.waitForStop()
      // A shell may show typing, and nothing else tells the program of it.
      if isShown { session.showTyping() } else { session.type("typed meanwhile") }
      kill(session.process, SIGCONT)
      try session.waitForPrompt("Secret: ", times: round)
    }
    session.type("tajny\n")
    try session.answer("The same again: ", "tajny")
    #expect(try session.end() == .exited(0))
    #expect(!session.screen.contains("typed") && !session.screen.contains("tajny"))
    #expect(session.isGivenBack)
    #expect(try stored == "tajny\n")
  }

  @Test func anIgnoredInterruptStaysIgnored() throws {
    let script = "trap '' INT; \"$0\" secrets set --service mail"
    let session = try TerminalSession(["/bin/sh", "-c", script, Machine.executable], on: machine)
    try session.waitForPrompt("Secret: ")
    // The terminal throws away what was typed before the key.
    session.type(TerminalSession.interrupt)
    session.type("tajny\n")
    try session.answer("The same again: ", "tajny")
    #expect(try session.end() == .exited(0))
  }

  @Test func aLineThatTheTerminalCutsOffIsRefused() throws {
    let session = try session()
    try session.waitForPrompt("Secret: ")
    session.type(String(repeating: "x", count: 3000))
    session.type(String(repeating: "x", count: 3000) + "\n")
    #expect(try session.end() == .exited(2))
    #expect(session.screen.contains("no line of more than"))
  }
}
