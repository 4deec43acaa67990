import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

@testable import locket

struct SecretsTests {
  private let machine: Machine

  init() throws { machine = try Machine() }

  @Test func oneNewlineAtTheEndIsRemoved() throws {
    let large = String(repeating: "0123456789abcde\n", count: 40_000)
    for secret in ["tajny", "two\nlines\n", "newlines\n\n", " spaces ", "ünïcödé 🗝", large] {
      try machine.store(secret + "\n", "--service mail")
      let isRead = try machine.output("secrets get --service mail") == secret + "\n"
      #expect(isRead)
    }
  }

  @Test(arguments: [
    ("", ""), ("\n", ""), ("\r\n", ""), ("a", "a"), ("a\n", "a"), ("a\r\n", "a"), ("a\r", "a\r"),
    ("a\r\r\n", "a\r"), ("a\n\n", "a\n"), ("a\r\n\r\n", "a\r\n"), ("a\n\r", "a\n\r"),
  ])
  func oneLineEndOfAFileIsRemoved(content: String, secret: String) throws {
    #expect(try SecretInput.file(machine.file("secret", content)) == Secret(secret))
  }

  @Test func toolAndAppsReadTheSameSecrets() throws {
    try machine.store("for the app\n", "--service app --account peter")
    @GenericPassword(service: "app", account: "peter", in: machine.vault) var text: String?
    @GenericPassword(service: "app", in: machine.vault) var data: Data?
    #expect(text == "for the app")
    #expect(data == Data("for the app".utf8))
    text = "from the app"
    #expect(try machine.output("secrets get --service app --account peter") == "from the app\n")
  }

  @Test func setReplacesTheSecretAndKeepsTheLabel() throws {
    try machine.store("old", "--service mail --label", "Mail of Peter")
    try machine.store("new", "--service mail")
    #expect(try machine.output("secrets get --service mail") == "new\n")
    #expect(try machine.output("secrets list") == "--service mail\tMail of Peter\n")
  }

  @Test func internetPasswordsHaveAllTheirParts() throws {
    let parts = """
      --server my.server --account my.account --domain my.domain --protocol ssh \
      --authentication htmlForm --port 8080 --path /a/b/c
      """
    try machine.store("The Valley Wind", parts)
    @InternetPassword(
      server: "my.server", account: "my.account", securityDomain: "my.domain", protocol: .ssh,
      authenticationType: .htmlForm, port: 8080, path: "/a/b/c", match: .exact, in: machine.vault)
    var password: String?
    #expect(password == "The Valley Wind")
    #expect(try machine.output("secrets list") == "\(parts)\t\n")
    #expect(try machine.output("secrets get \(parts)") == "The Valley Wind\n")
  }

  @Test func listShowsNoSecret() throws {
    try machine.store("tajny", "--service mail --label Mail")
    try machine.store("hemlig", "--server host --port 22")
    #expect(
      try machine.output("secrets list") == "--service mail\tMail\n--server host --port 22\t\n")
    #expect(try machine.output("secrets list --service mail") == "--service mail\tMail\n")
    #expect(try machine.output("secrets list --service other") == "")
  }

  @Test func listQuotesSpecialCharacters() throws {
    try machine.store("x", "--service it's --account", "a b")
    try machine.store("x", "--service", "\u{1B}[31m\u{202E}'", "--label", "red\u{1B}[0m\n")
    #expect(
      try machine.output("secrets list") == #"""
        --service 'it'\''s' --account 'a b'	
        --service $'\033[31m\342\200\256\''	red�[0m�

        """#)
  }

  @Test func invisibleItemsAreListedOnlyWithAll() throws {
    @GenericPassword(service: "hidden", in: machine.vault) var hidden: String?
    $hidden.attributes.isInvisible = true
    hidden = "x"
    #expect(try machine.output("secrets list") == "")
    #expect(try machine.output("secrets list --all") == "--service hidden\t\n")
  }

  @Test func deleteRemoves() throws {
    try machine.store("tajny", "--service mail")
    try machine.output("secrets delete --service mail")
    #expect(try machine.output("secrets list") == "")
  }

  @Test(arguments: ["get", "delete"]) func absentSecretGivesStatusOne(command: String) throws {
    #expect(try machine.run("secrets \(command) --service mail").status == 1)
    #expect(try machine.output("secrets list") == "")
    #expect(!machine.exists(".local"))
    try machine.store("tajny", "--service mail --account peter")
    let ended = try machine.run("secrets \(command) --service mail --account paul")
    #expect(ended.status == 1)
    #expect(ended.output == "")
    #expect(ended.errors == "locket: There is no such secret.\n")
    let silent = try machine.shell("\"$0\" secrets \(command) --service other 2>&-")
    #expect(silent.status == 1)
  }

  @Test func severalMatchesAreAnError() throws {
    try machine.store("one", "--service mail --account peter")
    try machine.store("two", "--service mail --account paul")
    for command in ["get", "set --any", "delete --any"] {
      let ended = try machine.run("secrets \(command) --service mail", input: "four")
      #expect(ended.status == 2)
      #expect(ended.errors.hasPrefix("locket: 2 secrets match"))
    }
    try machine.store("three", "--service mail")
    #expect(try machine.output("secrets get --service mail") == "three\n")
    #expect(try machine.output("secrets get --service mail --account paul") == "two\n")
  }

  @Test func emptyStandardInputChangesNothing() throws {
    try machine.store("tajny", "--service mail")
    for nothing in ["", "\n"] {
      let ended = try machine.run("secrets set --service mail", input: nothing)
      #expect(ended.status == 2)
      #expect(ended.errors == "locket: Standard input was empty. Nothing was changed.\n")
    }
    #expect(try machine.output("secrets get --service mail") == "tajny\n")
  }

  @Test func otherVaultCanBeNamed() throws {
    let place = "--vault \(machine.path("v/a.vault")) --state \(machine.path("s"))"
    try machine.store("tajny", "--service mail \(place)")
    #expect(try machine.output("secrets list") == "")
    #expect(try machine.output("secrets list \(place)") == "--service mail\t\n")
    let vault = SecretVault(
      fileURL: machine.home.appending(path: "v/a.vault"),
      stateDirectory: machine.home.appending(path: "s"))
    @GenericPassword(service: "mail", in: vault) var password: String?
    #expect(password == "tajny")
  }

  @Test(arguments: [
    "list", "get --service a", "delete --service a", "slots", "slots remove 1", "slots rename 1 a",
    "slots change 1", "rotate", "export file", "passphrase --remove", "verify", "repair",
  ])
  func missingVaultIsNotFound(command: String) throws {
    let file = machine.path("nope.vault")
    let ended = try machine.run("secrets \(command) --vault", file)
    #expect(ended.status == 1 && ended.output == "")
    #expect(ended.errors == "locket: \(file) does not exist.\n")
    #expect(!machine.exists("nope.vault") && !machine.exists(".local"))
  }

  @Test func otherDeviceNamesTheStateDirectory() throws {
    let list = "secrets list --vault \(machine.path("a.vault"))"
    try machine.store(
      "tajny", "--service mail --vault \(machine.path("a.vault")) --state", machine.path("s"))
    for (state, advice) in [([], true), (["--state", machine.path("other")], false)] {
      let ended = try machine.run(list.words + state)
      #expect(ended.status == 2)
      #expect(ended.errors.contains("is sealed for another device"))
      #expect(ended.errors.hasSuffix("in ~/.local/state: --state DIRECTORY.\n") == advice)
    }
    #expect(try machine.output("\(list) --state", machine.path("s")) == "--service mail\t\n")
    let doctor = try machine.run("doctor --vault", machine.path("a.vault"))
    #expect(doctor.status == 2 && doctor.output.contains("~/.local/state: --state DIRECTORY.\n"))
  }
}
