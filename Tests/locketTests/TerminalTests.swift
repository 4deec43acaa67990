import CLibrary
import FoundationEssentials
import TestSupport
import Testing

/// Secrets that are typed; what the terminal and signals do meanwhile is tested in the library.
struct TerminalTests {
  private let machine: Machine
  private let session: PseudoTerminal

  init() throws {
    machine = try Machine()
    session = try PseudoTerminal("secrets set --service mail", on: machine)
  }

  private var stored: String {
    get throws { try machine.run("secrets get --service mail").output }
  }

  @Test func typedSecretIsHidden() throws {
    try session.answer("Secret: ", "tajny")
    try session.waitForPrompt("Repeat it: ")
    for name in ["cmdline", "environ"] {
      let url = URL(filePath: "/proc/\(session.process)/\(name)")
      let text = String(decoding: try Data(contentsOf: url), as: UTF8.self)
      #expect(!text.isEmpty && !text.contains("tajny"))
    }
    try session.type("tajny\n")
    #expect(try session.end() == 0)
    #expect(session.screen == "Secret: \r\nRepeat it: \r\n")
    #expect(session.echoes)
    #expect(try stored == "tajny\n")
  }

  @Test func mistypedSecretIsNotStored() throws {
    try session.answer("Secret: ", "tajny")
    try session.answer("Repeat it: ", "tajnz")
    #expect(try session.end() == 2)
    #expect(session.echoes)
    #expect(session.screen.contains("The two entries differ."))
    #expect(!session.screen.contains("tajn"))
    #expect(try stored == "")
  }

  @Test(arguments: [PseudoTerminal.endOfInput, "\n"])
  func emptyEntryIsAnError(key: String) throws {
    try session.waitForPrompt("Secret: ")
    try session.type(key)
    #expect(try session.end() == 2)
    #expect(session.screen.contains("The input was empty"))
    #expect(session.echoes)
  }

  @Test func interruptRestoresTheTerminal() throws {
    try session.waitForPrompt("Secret: ")
    try session.type("taj" + PseudoTerminal.interrupt)
    #expect(try session.end() == -SIGINT)
    #expect(session.echoes)
  }

  @Test func entryIsLimitedTo64KiB() throws {
    let secret = String(repeating: "x", count: 6000)
    for prompt in ["Secret: ", "Repeat it: "] { try session.answer(prompt, secret) }
    #expect(try session.end() == 0)
    #expect(try stored == secret + "\n")
    let tooLong = try PseudoTerminal("secrets set --service mail", on: machine)
    try tooLong.answer("Secret: ", String(repeating: "x", count: 64 * 1024 + 1))
    #expect(try tooLong.end() == 2)
    #expect(tooLong.screen.contains("must not exceed 65536 bytes"))
    #expect(try stored == secret + "\n")
  }
}
