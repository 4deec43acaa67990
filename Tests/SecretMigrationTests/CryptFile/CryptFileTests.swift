import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

@testable import SecretMigration

struct CryptFileTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func read(
    _ bytes: [UInt8], skipping: Bool = false
  ) throws(MigrationError) -> ForeignSecrets {
    try .cryptFile(
      at: write(bytes, to: directory("cryptfile_pass.cfg")), passphrase: Secret(Fixture.passphrase),
      skippingUnreadable: skipping, derivingBy: KnownKeys.derive)
  }

  /// The fixture with one text replaced.
  private func changed(_ old: String, to new: String) throws -> [UInt8] {
    let text = String(decoding: Fixture.cryptFile, as: UTF8.self)
    try #require(text.contains(old))
    return Array(text.replacing(old, with: new, maxReplacements: 1).utf8)
  }

  @Test func userNamesKeepTheirCase() throws {
    var steps: [MaintenanceProgress] = []
    let url = write(Fixture.cryptFile, to: directory("file"))
    let read = try ForeignSecrets.cryptFile(
      at: url, passphrase: Secret(Fixture.passphrase), derivingBy: KnownKeys.derive
    ) {
      steps.append($0)
      return .proceed
    }
    #expect(
      read.secrets.map(\.identity) == [
        .generic(service: "mail.example.com", account: "peter"),
        .generic(service: "mail.example.com", account: "Jo.Ann@Example.com"),
        .generic(service: "web: app", account: "a_b"),
      ])
    #expect(
      read.secrets.map(\.secret.text) == [
        "The Valley Wind", "Žluťoučký kůň\nsecond line", String(repeating: "x", count: 200),
      ])
    #expect(steps == (0...3).map { MaintenanceProgress(completed: $0, total: 3) })
  }

  /// One of them with the library's own Argon2id, at its full cost.
  @Test func olderVersionsAreRead() throws {
    let url = write(Fixture.cryptFileOfVersion138, to: directory("file"))
    for secrets in [
      try read(Fixture.cryptFileOfVersion134).secrets,
      try ForeignSecrets.cryptFile(at: url, passphrase: Secret(Fixture.passphrase)).secrets,
    ] {
      #expect(secrets.map(\.identity) == [.generic(service: "mail", account: "Peter")])
      #expect(secrets.map(\.secret.text) == ["The Valley Wind"])
    }
  }

  @Test func namesAndPasswordsMayBeAnyText() throws {
    let read = try read(Fixture.cryptFileWithOddNames).secrets
    let expected: [(service: String, account: String, text: String)] = [
      ("keyring-setting", "own", "a password beside the settings"),
      ("Účty", "Škoda.Žofie", "кот 🐈\r\n\ttabs and = ; # [signs]\n\n"),
      ("Účty", "PETER", ""),
      ("a/b c:d=e[f]", "McDonald_42", String(repeating: "3 kB ", count: 600)),
      ("UPPER", "camelCaseName", "value"),
    ]
    #expect(
      read.map(\.identity) == expected.map { .generic(service: $0.service, account: $0.account) })
    #expect(read.map(\.secret.text) == expected.map(\.text))
  }

  @Test func readingCanBeCancelled() {
    let url = write(Fixture.cryptFile, to: directory("file"))
    #expect(throws: MigrationError.cancelled) {
      try ForeignSecrets.cryptFile(
        at: url, passphrase: Secret(Fixture.passphrase), derivingBy: KnownKeys.derive
      ) { $0.completed == 1 ? .cancel : .proceed }
    }
  }

  @Test(arguments: [
    ("[mail_2Eexample_2Ecom]", "[mail_2Eexample_2Enet]"),
    ("peter =", "petra ="),
    ("VnFLWkdJ", "VnFLWkdK"),
  ])
  func movedOrChangedPasswordIsDamaged(old: String, new: String) throws {
    let bytes = try changed(old, to: new)
    try expectError(.damaged, .malformed) { try read(bytes) }
  }

  @Test func unreadablePasswordCanBeSkipped() throws {
    let read = try read(changed("peter =", to: "petra ="), skipping: true)
    #expect(read.secrets.map(\.identity.account) == ["Jo.Ann@Example.com", "a_b"])
    #expect(read.unreadable.map(\.position) == ["line 10"])
  }

  @Test func nameMayBeInTwoSections() throws {
    let read = try read(changed("a_5fb =", to: "peter ="), skipping: true)
    #expect(read.secrets.map(\.identity.account) == ["peter", "Jo.Ann@Example.com"])
    #expect(read.unreadable.count == 1)
  }

  @Test func linesMayEndWithCarriageReturns() throws {
    let text = String(decoding: Fixture.cryptFile, as: UTF8.self).replacing("\n", with: "\r\n")
    #expect(try read(Array(text.utf8)).secrets == read(Fixture.cryptFile).secrets)
  }

  @Test(arguments: [
    ("[Argon2] AES128.GCM", "[Argon2] AES128.EAX"), ("[Argon2] AES128.GCM", "PyCrypto [PBKDF2]"),
  ])
  func otherSchemeIsUnsupported(old: String, new: String) throws {
    let bytes = try changed(old, to: new)
    try expectError(.unsupported) { try read(bytes) }
  }

  @Test func schemeMayNameTheLibrary() throws {
    let bytes = try changed("[Argon2] AES128", to: "PyCryptodome [Argon2] AES128")
    #expect(try read(bytes).secrets.count == 3)
  }

  @Test(arguments: [
    ("scheme =", "schema ="), ("password_20reference", "password"),
    ("[web_3A_20app]", "[web: app]"),
    ("[web_3A_20app]", "[web_3]"), ("[web_3A_20app]", "[web_FF]"), ("[web_3A_20app]", "[DEFAULT]"),
    ("[web_3A_20app]", "[mail_2Eexample_2Ecom]"), ("[web_3A_20app]", "web"), ("peter =", "peter"),
    ("jo_2eann_40example_2ecom =", "PETER ="), ("peter =", "peter = =="), ("peter =", "péter ="),
    ("peter =", "peter = e30="), ("peter =", "peter = W10="), ("[keyring_2Dsetting]", "  1\n[a]"),
    ("[keyring_2Dsetting]", "a = 1"),
  ])
  func otherFileIsMalformed(old: String, new: String) throws {
    let bytes = try changed(old, to: new)
    try expectError(.malformed) { try read(bytes) }
  }

  @Test func commentsAreIgnored() throws {
    let bytes = try changed("[web_3A", to: "# a comment\n; another one\n[web_3A")
    #expect(try read(bytes).secrets.count == 3)
  }

  /// Values with members of wrong lengths, or nested too deeply.
  @Test func hostileValueIsMalformed() throws {
    let mac = "AAAAAAAAAAAAAAAAAAAAAA=="
    for json in [
      #"{"salt": "AAAA", "data": "", "mac": "\#(mac)", "nonce": "AAAAAAAAAAAAAAAA"}"#,
      #"{"salt": "AAAAAAAAAAAAAAAA", "data": "", "mac": "AAAA", "nonce": "AAAAAAAAAAAAAAAA"}"#,
      #"{"salt": "AAAAAAAAAAAAAAAA", "data": "", "mac": "\#(mac)", "nonce": ""}"#,
      #"{"salt": "?", "data": "", "mac": "\#(mac)", "nonce": "AAAAAAAAAAAAAAAA"}"#,
      #"{"salt": 1, "data": "", "mac": "\#(mac)", "nonce": "AAAAAAAAAAAAAAAA"}"#,
      String(repeating: "[", count: 100_000), String(repeating: #"{"a":"#, count: 100_000),
    ] {
      let value = Data(json.utf8).base64EncodedString()
      let bytes = try changed("peter =", to: "peter = \(value)\nolga =")
      try expectError(.malformed) { try read(bytes) }
    }
  }
}
