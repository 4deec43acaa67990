import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

struct SecretsTests {
  private let machine: Machine

  init() throws {
    machine = try Machine()
  }

  @Test func aSecretGivenOnStandardInputIsReadBackWithoutItsNewline() throws {
    try machine.store("tajny\n", "--service", "mail", "--account", "peter")
    let ended = try machine.run("secrets", "get", "--service", "mail", "--account", "peter")
    #expect(ended.status == 0)
    #expect(ended.output == "tajny\n")
    #expect(ended.errors == "")
  }

  @Test(arguments: ["two\nlines\n", "trailing newlines\n\n", " spaces ", "ünïcödé 🗝"])
  func onlyOneNewlineIsTakenOff(secret: String) throws {
    try machine.store(secret + "\n", "--service", "mail")
    #expect(try machine.run("secrets", "get", "--service", "mail").output == secret + "\n")
  }

  @Test func anAppReadsWhatWasSet() throws {
    try machine.store("for the app\n", "--service", "app", "--account", "peter")
    @GenericPassword(service: "app", account: "peter", in: machine.vault) var text: String?
    @GenericPassword(service: "app", in: machine.vault) var data: Data?
    #expect(text == "for the app")
    #expect(data == Data("for the app".utf8))
  }

  @Test func whatAnAppSetIsPrintedAsItIs() throws {
    @GenericPassword(service: "app", in: machine.vault) var text: String?
    text = "from the app"
    #expect(try machine.run("secrets", "get", "--service", "app").output == "from the app\n")
  }

  @Test func setReplacesAndKeepsTheLabel() throws {
    try machine.store("old", "--service", "mail", "--label", "Mail of Peter")
    try machine.store("new", "--service", "mail")
    #expect(try machine.run("secrets", "get", "--service", "mail").output == "new\n")
    #expect(try machine.run("secrets", "list").output == "--service mail\tMail of Peter\n")
  }

  @Test func internetPasswordsHaveAllTheirParts() throws {
    let parts = [
      "--server", "my.server", "--account", "my.account", "--domain", "my.domain", "--protocol",
      "ssh", "--authentication", "htmlForm", "--port", "8080", "--path", "/a/b/c",
    ]
    let set = try machine.run(["secrets", "set"] + parts, input: "The Valley Wind")
    #expect(set.status == 0)
    @InternetPassword(
      server: "my.server", account: "my.account", securityDomain: "my.domain", protocol: .ssh,
      authenticationType: .htmlForm, port: 8080, path: "/a/b/c", match: .exact, in: machine.vault)
    var password: String?
    #expect(password == "The Valley Wind")
    #expect(try machine.run("secrets", "list").output == parts.joined(separator: " ") + "\t\n")
    #expect(
      try machine.run("secrets", "get", "--server", "my.server").output == "The Valley Wind\n")
  }

  @Test func listShowsNoSecretAndCanBeLimitedToAService() throws {
    try machine.store("tajny", "--service", "mail", "--label", "Mail")
    try machine.store("hemlig", "--server", "host", "--port", "22")
    #expect(
      try machine.run("secrets", "list").output
        == "--service mail\tMail\n--server host --port 22\t\n")
    #expect(
      try machine.run("secrets", "list", "--service", "mail").output == "--service mail\tMail\n")
    let nothing = try machine.run("secrets", "list", "--service", "other")
    #expect(nothing.status == 0 && nothing.output == "")
  }

  @Test func listQuotesWhatAShellOrATerminalWouldTakeForItsOwn() throws {
    try machine.store("x", "--service", "it's", "--account", "a b")
    try machine.store("x", "--service", "\u{1B}[31m\u{202E}'", "--label", "red\u{1B}[0m\n")
    #expect(
      try machine.run("secrets", "list").output == #"""
        --service 'it'\''s' --account 'a b'	
        --service $'\U0000001b[31m\U0000202e\''	red�[0m�

        """#)
  }

  @Test func invisibleItemsAreListedOnlyWithAll() throws {
    @GenericPassword(service: "hidden", in: machine.vault) var hidden: String?
    $hidden.attributes.isInvisible = true
    hidden = "x"
    #expect(try machine.run("secrets", "list").output == "")
    #expect(try machine.run("secrets", "list", "--all").output == "--service hidden\t\n")
  }

  @Test func deleteRemoves() throws {
    try machine.store("tajny", "--service", "mail")
    #expect(try machine.run("secrets", "delete", "--service", "mail").status == 0)
    #expect(try machine.run("secrets", "list").output == "")
  }

  @Test(arguments: ["get", "delete"]) func whatIsAbsentGivesOne(command: String) throws {
    try machine.store("tajny", "--service", "mail", "--account", "peter")
    let ended = try machine.run("secrets", command, "--service", "mail", "--account", "paul")
    #expect(ended.status == 1)
    #expect(ended.output == "")
    #expect(ended.errors == "locket: There is no such secret.\n")
    let unheard = try machine.shell("\"$0\" secrets \(command) --service other 2>&-")
    #expect(unheard.status == 1)
  }

  @Test func readingFromAVaultThatDoesNotExistMakesNone() throws {
    #expect(try machine.run("secrets", "get", "--service", "mail").status == 1)
    #expect(try machine.run("secrets", "list").status == 0)
    #expect(!FileManager.default.fileExists(atPath: machine.home.path + "/.local"))
  }

  @Test(arguments: ["get", "set", "delete"])
  func severalMatchesAreNotGuessedAmong(command: String) throws {
    try machine.store("one", "--service", "mail", "--account", "peter")
    try machine.store("two", "--service", "mail", "--account", "paul")
    try machine.store("three", "--service", "mail", "--exact")
    let ended = try machine.run(["secrets", command, "--service", "mail"], input: "four")
    #expect(ended.status == 2)
    #expect(ended.errors.hasPrefix("locket: 3 secrets match"))
    #expect(try machine.run("secrets", "get", "--service", "mail", "--exact").output == "three\n")
    let named = try machine.run("secrets", "get", "--service", "mail", "--account", "paul")
    #expect(named.output == "two\n")
  }

  @Test func emptyStandardInputChangesNothing() throws {
    try machine.store("tajny", "--service", "mail")
    for nothing in ["", "\n"] {
      let ended = try machine.run(["secrets", "set", "--service", "mail"], input: nothing)
      #expect(ended.status == 2)
      #expect(ended.errors == "locket: Standard input was empty. Nothing was changed.\n")
    }
    #expect(try machine.run("secrets", "get", "--service", "mail").output == "tajny\n")
  }

  @Test func aVaultCanBeNamed() throws {
    let place = ["--vault", machine.home.path + "/v/a.vault", "--state", machine.home.path + "/s"]
    let set = try machine.run(["secrets", "set", "--service", "mail"] + place, input: "tajny")
    #expect(set.status == 0)
    #expect(try machine.run("secrets", "list").output == "")
    #expect(try machine.run(["secrets", "list"] + place, input: "").output == "--service mail\t\n")
    @GenericPassword(
      service: "mail",
      in: SecretVault(
        fileURL: machine.home.appending(path: "v/a.vault"),
        stateDirectory: machine.home.appending(path: "s")))
    var password: String?
    #expect(password == "tajny")
  }

  @Test func aLargeBinarySecretComesBackByteByByte() throws {
    let large = String(repeating: "0123456789abcde\n", count: 40_000)
    try machine.store(large + "\n", "--service", "large")
    #expect(try machine.run("secrets", "get", "--service", "large").output == large + "\n")
  }
}
