import CLibrary
import FoundationEssentials
import TestSupport
import Testing

/// Secrets that are typed; what the terminal and signals do meanwhile is tested in the library.
struct TerminalTests {
  private let machine: Machine

  init() throws {
    machine = try Machine()
  }

  private func session() throws -> PseudoTerminal {
    try PseudoTerminal("secrets", "set", "--service", "mail", on: machine)
  }

  private var stored: String {
    get throws { try machine.run("secrets", "get", "--service", "mail").output }
  }

  @Test func aTypedSecretDoesNotShow() throws {
    let session = try session()
    #expect(session.echoes || session.screen == "Secret: ")
    try session.answer("Secret: ", "tajny")
    try session.answer("Repeat it: ", "tajny")
    #expect(try session.end() == 0)
    #expect(session.screen == "Secret: \r\nRepeat it: \r\n")
    #expect(session.echoes)
    #expect(try stored == "tajny\n")
  }

  @Test func aTypedSecretIsInNoArgumentAndNoVariable() throws {
    let session = try session()
    try session.answer("Secret: ", "tajny")
    try session.waitForPrompt("Repeat it: ")
    // Only root can read the environment of a process that leaves no core dump.
    for name in geteuid() == 0 ? ["cmdline", "environ"] : ["cmdline"] {
      let url = URL(filePath: "/proc/\(session.process)/\(name)")
      let text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
      #expect(!text.isEmpty && !text.contains("tajny"))
    }
    try session.type("tajny\n")
    #expect(try session.end() == 0)
  }

  @Test func aMistypedSecretIsNotStored() throws {
    let session = try session()
    try session.answer("Secret: ", "tajny")
    try session.answer("Repeat it: ", "tajnz")
    #expect(try session.end() == 2)
    #expect(session.echoes)
    #expect(session.screen.contains("The two entries differ."))
    #expect(!session.screen.contains("tajn"))
    #expect(try stored == "")
  }

  @Test(arguments: [PseudoTerminal.endOfInput, "\n"]) func nothingTypedIsNoSecret(key: String)
    throws
  {
    let session = try session()
    try session.waitForPrompt("Secret: ")
    try session.type(key)
    #expect(try session.end() == 2)
    #expect(session.screen.contains("The input was empty"))
    #expect(session.echoes)
  }

  @Test func ctrlCEndsTheProgramAndLeavesTheTerminalAsItWas() throws {
    let session = try session()
    try session.waitForPrompt("Secret: ")
    try session.type("taj" + PseudoTerminal.interrupt)
    #expect(try session.end() == -SIGINT)
    #expect(session.echoes)
  }

  @Test func aLongLineIsTakenAsItIsAndOneThatIsTooLongIsRefused() throws {
    let secret = String(repeating: "x", count: 6000)
    let long = try session()
    for prompt in ["Secret: ", "Repeat it: "] { try long.answer(prompt, secret) }
    #expect(try long.end() == 0)
    #expect(try stored == secret + "\n")
    let tooLong = try session()
    try tooLong.answer("Secret: ", String(repeating: "x", count: 64 * 1024 + 1))
    #expect(try tooLong.end() == 2)
    #expect(tooLong.screen.contains("must not exceed 65536 bytes"))
    #expect(try stored == secret + "\n")
  }
}
