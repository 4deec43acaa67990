import FoundationEssentials
import KeyValueStorage
import SecretStorage
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

struct DaemonTests {
  private let machine: Machine
  private let settings: String

  init() throws {
    machine = try Machine()
    settings = try machine.file("daemon.json", #"{"greeting": "Konnichiwa", "theme": "dark"}"#)
  }

  private func daemon() throws -> DisplayedSession {
    try DisplayedSession("daemon", "--settings", settings, on: machine)
  }

  private func content() throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: settings)), as: UTF8.self)
  }

  @Test(arguments: [SIGTERM, SIGINT]) func itFollowsItsSettingsAndWritesThemInTheEnd(
    number: Int32
  ) throws {
    let session = try daemon()
    try session.waitForText("Konnichiwa! Start 1, with a token of ")
    // The store of the daemon writes within a minute, and another program writes meanwhile.
    #expect(try !content().contains("starts"))
    let other = KeyValueStore(json: URL(filePath: settings))
    try other.set("Hello", for: "greeting")
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

  /// The ways in which programs save the file `new` as the file `$1`.
  static let editors = [
    // vim, with its own steps; the script fails where it is not installed.
    "command -v vim >/dev/null || { cp new \"$1\"; exit; }; "
      + "vim -Nu NONE -i NONE -n -es -c 'set wb backupcopy=no backupskip=' -c '%d _' -c '0r new' "
      + "-c x \"$1\" </dev/null >/dev/null",
    // vim's steps without vim.
    #"mv "$1" "$1~"; cat new >"$1"; rm "$1~""#,
    // nano and VS Code truncate the file.
    #"cat new >"$1""#,
    #"cp new "$1.tmp"; mv "$1.tmp" "$1""#,
    #"sed -i -e '1r new' -e '1,$d' "$1""#,
  ]

  @Test(arguments: editors) func eachMistakeInItsSettingsIsToldOnceAndChangesNothing(
    editor: String
  ) throws {
    let path = machine.home.appending(path: "daemon.json").path
    func edit(_ mode: String, _ server: String, _ lockAfter: String) throws {
      _ = try machine.file(
        "new",
        "{\n  \"greeting\": \"Hello\",\n  \"lockAfter\": \(lockAfter)\n  \"mode\": \(mode),\n"
          + "  \"server\": {\n    \"host\": \"example.org\",\n    \"port\": \(server)\n  }\n}\n")
      let script = "cd \"$2\"\n\(editor)"
      let ended = try machine.run(
        ["/bin/sh", "-ec", script, "sh", path, machine.home.path], input: "",
        environment: machine.environment)
      #expect(ended.status == 0, "\(ended)")
    }
    try edit(#""push""#, "1", "300,")
    let session = try daemon()
    try session.waitForText("Start 1, ")
    let mistakes = [
      "\(path), line 4, column 11: mode is not a valid value of the type Mode.",
      "\(path), line 7, column 13: server.port is a string, expected a number.",
      "\(path), line 3, column 16: lockAfter is a Boolean, expected a number.",
      "\(path) cannot be read at line 4, column 3: expected a comma or a closing brace.",
    ]
    try edit(#""psh""#, "1", "300,")
    try session.waitForText(mistakes[0])
    try edit(#""pull""#, #""2""#, "300,")
    try session.waitForText(mistakes[1])
    try session.waitForText("mode: push → pull\r\n")
    try edit(#""pull""#, #""2""#, "true,")
    try session.waitForText(mistakes[2])
    try edit(#""pull""#, "3", "300")
    try session.waitForText(mistakes[3])
    try edit(#""pull""#, "3", "200.0,")
    // The values before are those of the file, not the default ones.
    try session.waitForText("server: example.org:1 → example.org:3\r\n")
    try session.waitForText("lockAfter: 300.0 → 200.0\r\n")
    kill(session.process, SIGTERM)
    #expect(try session.end() == 0, "\(session.screen)")
    for mistake in mistakes {
      #expect(session.screen.ranges(of: mistake).count == 1, "\(session.screen)")
    }
    #expect(!session.screen.contains("localhost"))
  }

  @Test func aKeyThatNoSettingHasIsToldAtTheStart() throws {
    _ = try machine.file(
      "daemon.json", "{\n  \"server\": {\"host\": \"a\", \"port\": 1, \"prot\": 2}\n}\n")
    let session = try daemon()
    try session.waitForText("Start 1, ")
    let place = "\(settings), line 2, column 46: server.prot"
    #expect(
      session.screen.contains("\(place) is not a setting of this program."), "\(session.screen)")
    kill(session.process, SIGTERM)
    #expect(try session.end() == 0)
  }

  @Test func theVaultLocksAfterItsIdleTimeWhichIsASetting() throws {
    let session = try daemon()
    try session.waitForText("Start 1, ")
    try KeyValueStore(json: URL(filePath: settings)).set(0.05, for: "lockAfter")
    try session.waitForText("lockAfter: 300.0 → 0.05\r\n")
    try session.waitForText("The vault is locked.\r\n")
    kill(session.process, SIGTERM)
    #expect(try session.end() == 0)
  }

  @Test func thePassphraseIsAskedForOnTheTerminal() throws {
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

  @Test func ctrlCAtTheQuestionEndsTheDaemon() throws {
    _ = try machine.lock()
    let session = try daemon()
    try session.waitForPrompt("Passphrase of the vault: ")
    try session.type(PseudoTerminal.interrupt)
    #expect(try session.end() == -SIGINT)
    #expect(session.isGivenBack)
    #expect(try !content().contains("starts"))
  }

  @Test func aServiceWithoutATerminalSaysThatTheVaultIsLocked() throws {
    _ = try machine.lock()
    let ended = try machine.run("daemon", "--settings", settings)
    // The settings are read before the question.
    let unread = "\(settings), line 1, column 37: theme is not a setting of this program."
    #expect(ended.status == 1 && ended.output.hasPrefix(unread), "\(ended.output)")
    #expect(ended.errors.hasPrefix("Example: There is no terminal to ask on"))
  }

  @Test func settingsThatCannotBeReadAreAnErrorAtTheStart() throws {
    _ = try machine.file("daemon.json", "{,")
    let ended = try machine.run("daemon", "--settings", settings)
    #expect(ended.status == 1 && ended.output == "")
    #expect(ended.errors.contains("cannot be read at line 1, column 2"), "\(ended.errors)")
    #expect(try content() == "{,")
  }
}
