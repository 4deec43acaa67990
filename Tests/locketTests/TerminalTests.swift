import CLibrary
import FoundationEssentials
import SecretStorage
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

  private var stored: String { get throws { try machine.run("secrets get --service mail").output } }

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

  /// The signals for which Swift's runtime would open its backtracer on the terminal.
  @Test(arguments: [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP])
  func crashOpensNoBacktracer(number: Int32) throws {
    let session = try PseudoTerminal(
      [machine.executable, "secrets", "set", "--service", "mail"], on: machine,
      variables: ["SWIFT_BACKTRACE=enable=yes,interactive=no"])
    try session.waitForPrompt("Secret: ")
    kill(session.process, number)
    #expect(try session.end() == -number)
    #expect(!session.screen.contains("crashed"), "\(session.screen)")
  }

  @Test(arguments: [
    ("plain ünï\ttext\n".utf8.map(\.self), "plain ünï\ttext\n"),
    ("\u{1B}]52;c;eA==\u{7}\r\u{202E}".utf8.map(\.self), "\\u{1B}]52;c;eA==\\u{7}\\r\\u{202E}"),
    ([0x9B, 0x1B, 0x61], "\\x9b\\u{1B}a"),
  ])
  func controlCharactersAreEscaped(secret: [UInt8], shown: String) throws {
    _ = try machine.vault.add(
      Secret(secret), identity: .generic(service: "web"), attributes: ItemAttributes())
    let get = "secrets get --service web"
    let terminal = try PseudoTerminal(get, on: machine)
    #expect(try terminal.end() == 0)
    let lines = shown.replacing("\n", with: "\r\n")
    let isUnchanged = Array(shown.utf8) == secret
    let notice = "locket: Control characters are shown by their codes; --raw prints them unchanged."
    #expect(terminal.screen == lines + "\r\n" + (isUnchanged ? "" : notice + "\r\n"))
    let script = "\"$0\" \(get) | od -An -v -tu1"
    let piped = try machine.shell(script).success.split(whereSeparator: \.isWhitespace)
    #expect(piped.compactMap { UInt8($0) } == secret + [UInt8(ascii: "\n")])
    let raw = try PseudoTerminal("\(get) --raw", on: machine)
    #expect(try raw.end() == 0)
    #expect(raw.screen.contains("\u{1B}") == secret.contains(0x1B))
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
