import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

@testable import locket

final class SecretsTests: ToolTests {
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

  @Test func invisibleItemsAreListedOnlyWithAll() throws {
    @GenericPassword(service: "hidden", in: machine.vault) var hidden: String?
    $hidden.attributes.isInvisible = true
    hidden = "x"
    #expect(try machine.output("secrets list") == "")
    #expect(try machine.output("secrets list --all") == "--service hidden\t\n")
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

  @Test func missingVaultIsNotFound() throws { try expectTranscript() }
}
