import SecretStorage
import TestSupport
import Testing

@testable import SecretMigration

final class LibsecretTests: DirectoryTests {
  private func read(
    _ bytes: [UInt8], passphrase: String = Fixture.passphrase, skipping: Bool = false
  ) throws -> ForeignSecrets {
    try .libsecretKeyring(
      at: write(bytes, to: directory("default.keyring")), passphrase: Secret(passphrase),
      skippingUnreadable: skipping)
  }

  /// A secret that a keyring has, with the codes of its protocol and authentication type.
  private struct Row: Decodable {
    let service, account, server, domain, code, authentication, path: String?
    let port: UInt16?
    let text: String
    let label, comment: String?

    var identity: ItemIdentity {
      guard let server else { return .generic(service: service, account: account) }
      return .internet(
        server: server, account: account, securityDomain: domain,
        protocol: code.map { .init(rawValue: $0) },
        authenticationType: authentication.map { .init(rawValue: $0) }, port: port, path: path)
    }
  }

  private func expect(_ name: String, in bytes: [UInt8]) throws {
    let read = try read(bytes).secrets
    let secrets = Dictionary(uniqueKeysWithValues: read.map { ($0.identity, $0) })
    let rows = try Fixture.rows(name, as: Row.self)
    #expect(secrets.count == rows.count)
    for row in rows {
      let secret = try #require(secrets[row.identity], "\(row)")
      #expect(secret.secret.text == row.text, "\(row.identity)")
      #expect(
        secret.attributes == ItemAttributes(label: row.label, comment: row.comment),
        "\(row.identity)")
    }
  }

  @Test func itemsAreReadWithTheirAttributes() throws {
    try expect("libsecret-items", in: Fixture.libsecret)
  }

  @Test func namesAndSecretsMayBeAnyText() throws {
    try expect("libsecret-odd-names-items", in: Fixture.libsecretWithOddNames)
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
