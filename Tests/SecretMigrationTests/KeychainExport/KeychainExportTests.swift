import FoundationEssentials
import SecretMigration
import SecretStorage
import TestSupport
import Testing

struct KeychainExportTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func read(
    _ bytes: [UInt8], passphrase: String = Fixture.passphrase
  ) throws -> [ForeignSecret] {
    try ForeignSecrets.keychainExport(
      at: write(bytes, to: directory("export")), passphrase: Secret(passphrase)
    ).secrets
  }

  private func changed(_ old: String, to new: String) throws -> [UInt8] {
    let text = String(decoding: Fixture.keychainJSON, as: UTF8.self)
    try #require(text.contains(old))
    return Array(text.replacing(old, with: new, maxReplacements: 1).utf8)
  }

  @Test(arguments: [Fixture.keychainBinary, Fixture.keychainXML, Fixture.keychainJSON])
  func itemsAreReadTheOldestFirst(file: [UInt8]) throws {
    let secrets = try read(file)
    let expected: [(position: String, ItemIdentity, ItemAttributes, Secret)] = [
      (
        "item 4",
        .internet(
          server: "a.example.com", securityDomain: "realm", protocol: .ssh,
          authenticationType: .htmlForm, path: "/a"),
        ItemAttributes(), Secret("")
      ),
      (
        "item 3", .generic(service: "binary"),
        ItemAttributes(accessControl: AccessControl(.alwaysThisDeviceOnly)),
        Secret([7, 0, 0, 0, 0, 0, 0, 0])
      ),
      (
        "item 2", .generic(service: "com.example.app", account: "peter"),
        ItemAttributes(
          label: "com.example.app", comment: "a comment", itemDescription: "a kind",
          creator: 0x4c63_6b74, type: 0x6162_6364, isInvisible: true),
        Secret("The Valley Wind")
      ),
      (
        "item 1",
        .internet(server: "imap.example.com", account: "peter", protocol: .imaps, port: 993),
        ItemAttributes(label: "Mail", accessControl: AccessControl(.afterFirstUnlock)),
        Secret("The Sixth Station")
      ),
    ]
    #expect(
      secrets
        == expected.map { ForeignSecret(position: $0, identity: $1, attributes: $2, secret: $3) })
  }

  @Test func aDateThatIsNoNumberIsTheOldest() throws {
    let secrets = try read(Fixture.keychainWithoutDate)
    #expect(secrets.map(\.identity.service) == ["c", "a", "b"])
  }

  @Test func aNumberThatAnAppStoredIsANumber() throws {
    let store = InMemorySecretStore()
    let export = try ForeignSecrets.keychainExport(
      at: write(Fixture.keychainBinary, to: directory("export")),
      passphrase: Secret(Fixture.passphrase))
    try export.migrate(to: store)
    #expect(PasswordItem<Int>(.generic(service: "binary"), in: store).value == 7)
    let text = PasswordItem<String>(.generic(service: "com.example.app"), in: store)
    #expect(text.value == "The Valley Wind")
  }

  @Test(arguments: ["", "Correct horse", "correct horse\n"])
  func aWrongPassphraseIsSaid(passphrase: String) {
    #expect(throws: MigrationError.wrongPassphrase(path: directory("export"))) {
      try read(Fixture.keychainXML, passphrase: passphrase)
    }
  }

  @Test(arguments: [
    (#""version": 1"#, #""version": 2"#), ("1000", "999"), ("1000", "10000001"), ("1000", "-1"),
    (#""salt": ""#, #""salt": "AAAA", "a": ""#),
  ])
  func whatIsOutOfBoundsIsUnsupported(old: String, new: String) throws {
    let bytes = try changed(old, to: new)
    let error = try #require(throws: MigrationError.self) { try read(bytes) }
    guard case .unsupported = error else {
      Issue.record(error)
      return
    }
  }

  @Test(arguments: [
    ("keychain items", "other items"), (#""sealed": ""#, #""sealed": "AAAA", "a": ""#),
    (#""salt": ""#, #""salt": "?", "a": ""#), ("1000", "1e400"), ("1000", "1.5"),
    ("1000", "99999999999999999999"), (#""salt""#, #""sald""#), ("{", ""), ("{", "["), ("{", "<"),
    ("{", "bplist00"),
  ])
  func whatIsNoExportIsMalformed(old: String, new: String) throws {
    let bytes = try changed(old, to: new)
    let error = try #require(throws: MigrationError.self) { try read(bytes) }
    guard case .malformed = error else {
      Issue.record(error)
      return
    }
  }

  @Test(arguments: [Fixture.keychainBinary, Fixture.keychainXML, Fixture.keychainJSON])
  func everyBeginningIsRefused(file: [UInt8]) throws {
    for count in stride(from: 0, to: file.count - 2, by: Campaign.size(sample: 31, full: 1)) {
      let error = try #require(throws: MigrationError.self, "\(count) bytes") {
        try read(Array(file.prefix(count)))
      }
      switch error {
      case .malformed, .wrongPassphrase: break
      default: Issue.record(error)
      }
    }
  }

  @Test(arguments: [Fixture.keychainBinary, Fixture.keychainXML, Fixture.keychainJSON])
  func aChangedByteIsNoticedOrChangesNothing(file: [UInt8]) throws {
    let expected = try read(file)
    for index in stride(from: 0, to: file.count, by: Campaign.size(sample: 31, full: 1)) {
      for bit in [0x01, 0x20, 0x80] as [UInt8] {
        var bytes = file
        bytes[index] ^= bit
        do {
          #expect(try read(bytes) == expected)
        } catch {
          switch error as? MigrationError {
          case .malformed, .wrongPassphrase, .unsupported: break
          default: Issue.record(error)
          }
        }
      }
    }
  }

  @Test(arguments: [
    String(repeating: "[", count: 100_000), String(repeating: #"{"a":"#, count: 100_000),
    "<plist>" + String(repeating: "<array>", count: 100_000),
    "<plist><dict>" + String(repeating: "<key>a</key><dict>", count: 100_000),
  ])
  func deepNestingIsMalformed(text: String) throws {
    let error = try #require(throws: MigrationError.self) { try read(Array(text.utf8)) }
    guard case .malformed = error else {
      Issue.record(error)
      return
    }
  }

  /// A binary property list of nested arrays, and one of an array that contains itself.
  @Test(arguments: [60_000, 0])
  func nestedBinaryPropertyListsAreMalformed(depth: Int) throws {
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for object in 0...depth {
      offsets.append(bytes.count)
      let next = object == depth ? (depth == 0 ? 0 : depth) : object + 1
      bytes += [0xa1, UInt8(next >> 16), UInt8(next >> 8 & 0xff), UInt8(next & 0xff)]
    }
    if depth > 0 {
      // Replaces the innermost array by an empty one.
      bytes.removeLast(4)
      bytes.append(0xa0)
    }
    let table = bytes.count
    for offset in offsets {
      bytes += [UInt8(offset >> 16), UInt8(offset >> 8 & 0xff), UInt8(offset & 0xff)]
    }
    bytes += [0, 0, 0, 0, 0, 0, 3, 3]
    for number in [offsets.count, 0, table] {
      bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
    let error = try #require(throws: MigrationError.self) { try read(bytes) }
    guard case .malformed = error else {
      Issue.record(error)
      return
    }
  }
}
