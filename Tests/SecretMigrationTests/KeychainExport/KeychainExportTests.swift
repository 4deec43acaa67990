import SecretMigration
import SecretStorage
import TestSupport
import Testing

final class KeychainExportTests: DirectoryTests {
  private func read(_ bytes: [UInt8]) throws -> [ForeignSecret] {
    try ForeignSecrets.keychainExport(
      at: write(bytes, to: directory("export")), passphrase: Secret(Fixture.passphrase)
    ).secrets
  }

  private func changed(_ old: String, to new: String) throws -> [UInt8] {
    let text = String(decoding: Fixture.keychainJSON, as: UTF8.self)
    try #require(text.contains(old))
    return Array(text.replacing(old, with: new, maxReplacements: 1).utf8)
  }

  @Test func itemsAreReadTheOldestFirst() throws {
    let mail = ItemIdentity.internet(
      server: "imap.example.com", account: "peter", protocol: .imaps, port: 993)
    let web = ItemIdentity.internet(
      server: "a.example.com", securityDomain: "realm", protocol: .ssh,
      authenticationType: .htmlForm, path: "/a")
    let kind = ItemAttributes(
      label: "com.example.app", comment: "a comment", itemDescription: "a kind",
      creator: 0x4c63_6b74, type: 0x6162_6364, isInvisible: true)
    let bound = ItemAttributes(accessControl: AccessControl(.alwaysThisDeviceOnly))
    let unlocked = ItemAttributes(label: "Mail", accessControl: AccessControl(.afterFirstUnlock))
    let expected: [(position: String, ItemIdentity, ItemAttributes, Secret)] = [
      ("item 4", web, ItemAttributes(), Secret("")),
      ("item 3", .generic(service: "binary"), bound, Secret([7, 0, 0, 0, 0, 0, 0, 0])),
      (
        "item 2", .generic(service: "com.example.app", account: "peter"), kind,
        Secret("The Valley Wind")
      ), ("item 1", mail, unlocked, Secret("The Sixth Station")),
    ]
    for file in [Fixture.keychainBinary, Fixture.keychainXML, Fixture.keychainJSON] {
      #expect(
        try read(file)
          == expected.map { ForeignSecret(position: $0, identity: $1, attributes: $2, secret: $3) })
    }
  }

  @Test func dateThatIsNotANumberIsTheOldest() throws {
    #expect(try read(Fixture.keychainWithoutDate).map(\.identity.service) == ["c", "a", "b"])
  }

  @Test func storedNumberStaysANumber() throws {
    let store = InMemorySecretStore()
    let export = try ForeignSecrets.keychainExport(
      at: write(Fixture.keychainBinary, to: directory("export")),
      passphrase: Secret(Fixture.passphrase))
    try export.migrate(to: store)
    #expect(PasswordItem<Int>(.generic(service: "binary"), in: store).value == 7)
    let text = PasswordItem<String>(.generic(service: "com.example.app"), in: store)
    #expect(text.value == "The Valley Wind")
  }

  @Test(arguments: [
    (#""version": 1"#, #""version": 2"#), ("1000", "999"), ("1000", "10000001"), ("1000", "-1"),
    (#""salt": ""#, #""salt": "AAAA", "a": ""#),
  ])
  func numberOutOfBoundsIsUnsupported(old: String, new: String) throws {
    try expectError(.unsupported) { try read(changed(old, to: new)) }
  }

  @Test(arguments: [
    ("keychain items", "other items"), (#""sealed": ""#, #""sealed": "AAAA", "a": ""#),
    (#""salt": ""#, #""salt": "?", "a": ""#), ("1000", "1e400"), ("1000", "1.5"),
    ("1000", "99999999999999999999"), (#""salt""#, #""sald""#), ("{", ""), ("{", "["), ("{", "<"),
    ("{", "bplist00"),
  ])
  func otherFileIsMalformed(old: String, new: String) throws {
    try expectError(.malformed) { try read(changed(old, to: new)) }
  }
}
