import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

@testable import SecretMigration

struct LibsecretTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func read(
    _ bytes: [UInt8], passphrase: String = Fixture.passphrase, skipping: Bool = false
  ) throws -> ForeignSecrets {
    try .libsecretKeyring(
      at: write(bytes, to: directory("default.keyring")), passphrase: Secret(passphrase),
      skippingUnreadable: skipping)
  }

  private typealias Item = (ItemIdentity, text: String, ItemAttributes)

  private func expect(_ items: [Item], in bytes: [UInt8]) throws {
    let read = try read(bytes).secrets
    let secrets = Dictionary(uniqueKeysWithValues: read.map { ($0.identity, $0) })
    #expect(secrets.count == items.count)
    for (identity, text, attributes) in items {
      let secret = try #require(secrets[identity])
      #expect(secret.secret.text == text)
      #expect(secret.attributes == attributes)
    }
  }

  @Test func itemsAreReadWithTheirAttributes() throws {
    let git = ItemIdentity.internet(
      server: "git.example.com", account: "peter", protocol: .https, port: 8443, path: "/project")
    let items: [Item] = [
      (
        .generic(service: "mail.example.com", account: "peter"), "The Valley Wind",
        ItemAttributes(label: "Mail")
      ),
      (git, "The Sixth Station", ItemAttributes(label: "Git: https://git.example.com")),
      (
        .generic(service: "tool", account: "key=1,kind=Žluťoučký"), "line one\nline two",
        ItemAttributes(label: "Kůň")
      ),
    ]
    try expect(items, in: Fixture.libsecret)
  }

  @Test func namesAndSecretsMayBeAnyText() throws {
    let items: [Item] = [
      (.generic(service: "empty"), "", ItemAttributes()),
      (.generic(service: "empty", account: "peter"), "", ItemAttributes(label: "Empty")),
      (.generic(service: "long", account: "Peter.ŠKODA"), "", ItemAttributes(label: "x")),
      (
        .generic(service: "long", account: "Škoda.Žofie"), String(repeating: "x", count: 3000),
        ItemAttributes(label: "Long")
      ),
      (
        .generic(service: "Účty", account: "PETER"), "кот 🐈\r\n\tline 2\n\n",
        ItemAttributes(label: "Label of two\nlines")
      ),
      (
        .internet(
          server: "nas.example.com", account: "peter", securityDomain: "WORK", protocol: .smb,
          authenticationType: .ntlm, path: "share"), "smb", ItemAttributes(label: "Share")
      ),
      (
        .internet(server: "www.example.com", account: "peter", authenticationType: .htmlForm),
        "web", ItemAttributes(label: "Web", comment: "a: b\nport: 99999\nprotocol: gopher")
      ),
      (.internet(server: "bare"), "bare", ItemAttributes(label: "Bare")),
      (.generic(service: "only"), "noaccount", ItemAttributes(label: "No account")),
      (.generic(service: "chrome"), "schema", ItemAttributes(label: "Chrome")),
      (.generic(account: "v=5,w=4,x=3,y=2,z=1"), "many", ItemAttributes(label: "Many")),
    ]
    try expect(items, in: Fixture.libsecretWithOddNames)
  }

  @Test func itemsWithoutAttributesDoNotCollide() throws {
    var names: [ItemIdentity: Int] = [:]
    var identities: [ItemIdentity] = []
    for schema in ["org.gnome.keyring.Note", "org.example", ""] {
      for label in ["Note", "Note", "Note (5)", "Note (5, 2)", "", "", "Note"] {
        let item = LibsecretItem(
          attributes: ["xdg:schema": schema, "server": ""], label: label, created: 5,
          secret: Secret("x"))
        identities.append(item.foreignSecret(at: "item", names: &names).identity)
      }
    }
    #expect(Set(identities).count == identities.count)
    let note = "org.gnome.keyring.Note"
    #expect(identities[0] == .generic(service: note, account: "Note (5)"))
    #expect(identities[1] == .generic(service: note, account: "Note (5, 2)"))
    #expect(identities.last == .generic(account: "Note (5, 3)"))
  }

  @Test func itemsOfTwoPassphrasesAreReadSeparately() throws {
    try expectError(.damaged) { try read(Fixture.libsecretOfTwoPassphrases) }
    let first = try read(Fixture.libsecretOfTwoPassphrases, skipping: true)
    #expect(first.secrets.count == 3 && first.unreadable.count == 1)
    let other = try read(Fixture.libsecretOfTwoPassphrases, passphrase: "another", skipping: true)
    #expect(other.secrets.map(\.secret.text) == ["other"] && other.unreadable.count == 3)
  }

  /// Cleartext beside the ciphertext has no authentication code of its own.
  @Test(arguments: ["service", "server", "kind"])
  func cleartextAttributeIsChecked(name: String) throws {
    var bytes = Fixture.libsecret
    let position = try #require(bytes.firstRange(of: Array("\(name)\0".utf8)))
    bytes[position.upperBound] ^= 1
    let read = try read(bytes, skipping: true)
    #expect(read.secrets.count == 2 && read.unreadable.count == 1)
    bytes[position.upperBound] ^= 1
    bytes[position.lowerBound] ^= 1
    #expect(try self.read(bytes, skipping: true).unreadable.count == 1)
  }

  @Test func changedAuthenticationCodeIsDamage() throws {
    var bytes = Fixture.libsecret
    let item = try #require(try LibsecretFile(bytes, of: "file").items.first)
    bytes[item.authenticationCode.startIndex] ^= 1
    let read = try read(bytes, skipping: true)
    #expect(read.secrets.count == 2 && read.unreadable.count == 1)
  }

  @Test(arguments: [[0, 0, 0, 0], [0xff, 0xff, 0xff, 0xff], [0x81, 0x96, 0x98, 0]])
  func hostileIterationCountIsUnsupported(count: [UInt8]) throws {
    try expectError(.unsupported) { try read(Fixture.libsecret(iterations: count)) }
  }

  @Test(arguments: [[0, 0], [1, 1], [2, 0], [0, 1]])
  func otherVersionIsUnsupported(version: [UInt8]) throws {
    var bytes = Fixture.libsecret
    bytes.replaceSubrange(16..<18, with: version)
    try expectError(.unsupported) { try read(bytes) }
  }

  @Test func emptyKeyringHasNoSecrets() throws {
    // The file without items; the framing offset of the salt follows 16 bytes of numbers.
    var bytes = Array(Fixture.libsecret.prefix(18 + 4 + 32))
    bytes += [0xa0, 0x86, 0x01, 0] + Array(repeating: 0, count: 8 + 4)
    bytes.append(36)
    #expect(try read(bytes).secrets.isEmpty)
  }

  /// An item with one attribute, whose hash has `count` bytes.
  @Test(arguments: [0, 31, 32, 33])
  func hashOfAnotherLengthIsMalformed(count: Int) throws {
    let name = Array("service\0".utf8)
    let entry = name + Array(repeating: 7, count: count) + [UInt8(name.count)]
    let dictionary = entry + [UInt8(entry.count)]
    let item = dictionary + Array(repeating: 7, count: 64) + [UInt8(dictionary.count)]
    let start = Array(Fixture.libsecret.prefix(54)) + [1, 0, 0, 0] + Array(repeating: 0, count: 12)
    try expectError(count == 32 ? .wrongPassphrase : .malformed) {
      try read(start + item + [UInt8(item.count), 36])
    }
  }
}
