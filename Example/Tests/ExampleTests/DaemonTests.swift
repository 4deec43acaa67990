import Foundation
import KeyValueStorage
import SecretStorage
import Testing

struct DaemonTests {
  private let machine: Machine
  private let settings: String

  init() throws {
    machine = try Machine()
    settings = try machine.file("daemon.json", #"{"greeting": "Konnichiwa", "theme": "dark"}"#)
  }

  private func daemon() throws -> DisplayedSession {
    try DisplayedSession("daemon --settings", settings, on: machine)
  }

  private func content() throws -> String { try machine.text("daemon.json") }

  @Test(arguments: [SIGTERM, SIGINT]) func daemonFollowsAndWritesItsSettings(number: Int32) throws {
    let session = try daemon()
    try session.waitForText("Konnichiwa! Start 1, with a token of ")
    try KeyValueStore(json: URL(filePath: settings)).set("Hello", for: "greeting")
    try session.waitForText("greeting: Konnichiwa → Hello\r\n")
    kill(session.process, number)
    #expect(try session.end() == 0, "\(session.screen)")
    #expect(session.screen.hasSuffix("Signal \(number): the settings are written.\r\n"))
    #expect(
      try content() == """
        {
          "greeting": "Hello",
          "starts": 1,
          "theme": "dark"
        }

        """)
    @GenericPassword(service: "daemon", account: "token", in: machine.vault) var token: String?
    #expect(token?.isEmpty == false)
  }

  @Test func templateHasAllSettings() throws {
    for _ in 0..<2 {
      let ended = try machine.run("daemon --template", settings)
      #expect(ended.status == 0 && ended.errors == "")
      #expect(ended.output == "\(settings) has all settings.\n")
      let store = KeyValueStore(json: URL(filePath: settings))
      #expect(try store.keys() == ["greeting", "level", "lockAfter", "starts", "theme"])
      #expect(try store.value(of: "greeting") == "Konnichiwa")
      #expect(try store.value(of: "level") == "info" && store.value(of: "lockAfter") == 300.0)
      #expect(try store.value(of: "starts") == 0 && store.value(of: "theme") == "dark")
    }
  }

  @Test func templateIsWrittenAlone() throws {
    let ended = try machine.run("daemon --settings x.json --template", settings)
    #expect(ended.status == 2)
    #expect(ended.errors.contains("--template cannot be combined with --settings."))
  }

  @Test func vaultLocksAfterTheIdleTimeOfTheSettings() throws {
    let session = try daemon()
    try session.waitForText("Start 1, ")
    try KeyValueStore(json: URL(filePath: settings)).set(0.05, for: "lockAfter")
    try session.waitForText("lockAfter: 300.0 → 0.05\r\n")
    try session.waitForText("The vault is locked.\r\n")
    kill(session.process, SIGTERM)
    #expect(try session.end() == 0)
  }

  @Test func passphraseIsAskedForOnTheTerminal() throws {
    _ = try machine.lock()
    let session = try daemon()
    try session.answer("Passphrase of the vault: ", "tortoro")
    try session.waitForText("The passphrase is wrong.\r\n")
    try session.answer("Passphrase of the vault: ", "totoro")
    try session.waitForText("Start 1, ")
    kill(session.process, SIGTERM)
    #expect(try session.end() == 0)
    #expect(!session.screen.contains("totoro"))
  }

  @Test func interruptAtThePromptEndsTheDaemon() throws {
    _ = try machine.lock()
    let session = try daemon()
    try session.waitForPrompt("Passphrase of the vault: ")
    try session.type(PseudoTerminal.interrupt)
    #expect(try session.end() == -SIGINT)
    #expect(session.isGivenBack)
    #expect(try !content().contains("starts"))
  }

  @Test func lockedVaultWithoutATerminalIsAnError() throws {
    _ = try machine.lock()
    let ended = try machine.run("daemon --settings", settings)
    #expect(ended.status == 1 && ended.output == "")
    #expect(ended.errors.hasPrefix("Example: There is no terminal to ask on"))
  }

  @Test func unreadableSettingsAreAnErrorAtTheStart() throws {
    _ = try machine.file("daemon.json", "{,")
    let ended = try machine.run("daemon --settings", settings)
    #expect(ended.status == 1 && ended.output == "")
    #expect(ended.errors.contains("cannot be read at line 1, column 2"), "\(ended.errors)")
    #expect(try content() == "{,")
  }
}
