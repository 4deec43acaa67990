import FoundationEssentials
import SecretMigration
import SecretStorage
import TestSupport
import Testing

struct LibsecretTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func read(
    _ bytes: [UInt8], passphrase: String = Fixture.passphrase, skipping: Bool = false
  ) throws -> ForeignSecrets {
    try .libsecretKeyring(
      at: write(bytes, to: directory("default.keyring")), passphrase: Secret(passphrase),
      skippingUnreadable: skipping)
  }

  @Test func itemsAreReadWithTheirAttributes() throws {
    let secrets = try read(Fixture.libsecret).secrets.sorted { $0.position < $1.position }
    let bySecret = Dictionary(uniqueKeysWithValues: secrets.map { ($0.secret.text, $0) })
    let mail = try #require(bySecret["The Valley Wind"])
    #expect(mail.identity == .generic(service: "mail.example.com", account: "peter"))
    #expect(mail.attributes == ItemAttributes(label: "Mail"))
    let git = try #require(bySecret["The Sixth Station"])
    #expect(
      git.identity
        == .internet(
          server: "git.example.com", account: "peter", protocol: .https, port: 8443,
          path: "/project"))
    #expect(git.attributes.label == "Git: https://git.example.com")
    #expect(git.attributes.comment == nil)
    let tool = try #require(bySecret["line one\nline two"])
    #expect(tool.identity == .generic(service: "tool", account: "key=1,kind=Žluťoučký"))
    #expect(tool.attributes == ItemAttributes(label: "Kůň"))
    #expect(secrets.count == 3)
  }

  @Test func namesAndSecretsMayBeAnything() throws {
    let secrets = try read(Fixture.libsecretWithOddNames).secrets
    #expect(secrets.count == 11)
    let known = Dictionary(uniqueKeysWithValues: secrets.map { ($0.identity, $0) })
    let nameless = try #require(known[.generic(service: "empty")])
    #expect(nameless.secret.count == 0 && nameless.attributes == ItemAttributes())
    let empty = try #require(known[.generic(service: "empty", account: "peter")])
    #expect(empty.secret.count == 0 && empty.attributes.label == "Empty")
    let format = try #require(known[.generic(service: "long", account: "Peter.ŠKODA")])
    #expect(format.secret.count == 0)
    let long = try #require(known[.generic(service: "long", account: "Škoda.Žofie")])
    #expect(long.secret.text == String(repeating: "x", count: 3000))
    let lines = try #require(known[.generic(service: "Účty", account: "PETER")])
    #expect(lines.secret.text == "кот 🐈\r\n\tline 2\n\n")
    #expect(lines.attributes == ItemAttributes(label: "Label of two\nlines"))
    let share = try #require(
      known[
        .internet(
          server: "nas.example.com", account: "peter", securityDomain: "WORK", protocol: .smb,
          authenticationType: .ntlm, path: "share")])
    #expect(share.attributes == ItemAttributes(label: "Share"))
    let web = try #require(
      known[
        .internet(server: "www.example.com", account: "peter", authenticationType: .htmlForm)])
    #expect(web.attributes.comment == "a: b\nport: 99999\nprotocol: gopher")
    #expect(known[.internet(server: "bare")]?.secret.text == "bare")
    #expect(known[.generic(service: "only")]?.secret.text == "noaccount")
    let chrome = try #require(known[.generic(service: "chrome")])
    #expect(chrome.attributes.comment == nil)
    let many = try #require(known[.generic(account: "v=5,w=4,x=3,y=2,z=1")])
    #expect(many.secret.text == "many")
  }

  @Test(arguments: ["", "Correct horse", "another"])
  func aWrongPassphraseIsSaid(passphrase: String) {
    #expect(throws: MigrationError.wrongPassphrase(path: directory("default.keyring"))) {
      try read(Fixture.libsecret, passphrase: passphrase)
    }
  }

  @Test func itemsOfTwoPassphrasesAreReadOneAfterTheOther() throws {
    let error = try #require(throws: MigrationError.self) {
      try read(Fixture.libsecretOfTwoPassphrases)
    }
    guard case .damaged = error else {
      Issue.record(error)
      return
    }
    let first = try read(Fixture.libsecretOfTwoPassphrases, skipping: true)
    #expect(first.secrets.count == 3 && first.unreadable.count == 1)
    let other = try read(Fixture.libsecretOfTwoPassphrases, passphrase: "another", skipping: true)
    #expect(other.secrets.map(\.secret.text) == ["other"] && other.unreadable.count == 3)
  }

  @Test func everyBeginningIsMalformed() throws {
    for count in 0..<Fixture.libsecret.count {
      let error = try #require(throws: MigrationError.self) {
        try read(Array(Fixture.libsecret.prefix(count)))
      }
      switch error {
      case .malformed, .damaged, .wrongPassphrase, .unsupported: break
      default: Issue.record(error)
      }
    }
  }

  @Test func aChangedByteIsNoticedOrChangesNothing() throws {
    let expected = try read(Fixture.libsecret).secrets
    let step = Campaign.size(sample: 211, full: 1)
    // The whole file after the magic bytes and the version.
    for index in stride(from: 18, to: Fixture.libsecret.count, by: step) {
      var bytes = Fixture.libsecret
      bytes[index] ^= 0x10
      do {
        #expect(try read(bytes).secrets == expected)
      } catch {
        switch error as? MigrationError {
        case .malformed, .damaged, .wrongPassphrase, .unsupported: break
        default: Issue.record(error)
        }
      }
    }
  }

  /// Cleartext beside the ciphertext has no authentication code of its own.
  @Test(arguments: ["service", "server", "kind"])
  func anAttributeInTheClearIsChecked(name: String) throws {
    var bytes = Fixture.libsecret
    let position = try #require(bytes.firstRange(of: Array("\(name)\0".utf8)))
    bytes[position.upperBound] ^= 1
    let read = try read(bytes, skipping: true)
    #expect(read.secrets.count == 2 && read.unreadable.count == 1)
    bytes[position.upperBound] ^= 1
    bytes[position.lowerBound] ^= 1
    #expect(try self.read(bytes, skipping: true).unreadable.count == 1)
  }

  @Test(arguments: [[0, 0, 0, 0], [0xff, 0xff, 0xff, 0xff], [0x81, 0x96, 0x98, 0]])
  func aHostileIterationCountIsUnsupported(count: [UInt8]) throws {
    // The field follows 18 bytes of magic and version, the salt's length, and the salt's 32 bytes.
    var bytes = Fixture.libsecret
    #expect(Array(bytes[54..<58]) == [0xa0, 0x86, 0x01, 0])
    bytes.replaceSubrange(54..<58, with: count)
    let error = try #require(throws: MigrationError.self) { try read(bytes) }
    guard case .unsupported = error else {
      Issue.record(error)
      return
    }
  }

  @Test(arguments: [[0, 0], [1, 1], [2, 0], [0, 1]])
  func anotherVersionIsUnsupported(version: [UInt8]) throws {
    var bytes = Fixture.libsecret
    bytes.replaceSubrange(16..<18, with: version)
    let error = try #require(throws: MigrationError.self) { try read(bytes) }
    guard case .unsupported = error else {
      Issue.record(error)
      return
    }
  }

  @Test func anEmptyKeyringHasNothing() throws {
    // The file without items; the framing offset of the salt follows 16 bytes of numbers.
    var bytes = Array(Fixture.libsecret.prefix(18 + 4 + 32))
    bytes += [0xa0, 0x86, 0x01, 0] + Array(repeating: 0, count: 8 + 4)
    bytes.append(36)
    #expect(try read(bytes).secrets.isEmpty)
  }

  /// An item with one attribute, whose hash has `count` bytes.
  @Test(arguments: [0, 31, 32, 33])
  func aHashIsOfItsLength(count: Int) throws {
    let name = Array("service\0".utf8)
    let entry = name + Array(repeating: 7, count: count) + [UInt8(name.count)]
    let dictionary = entry + [UInt8(entry.count)]
    let item = dictionary + Array(repeating: 7, count: 64) + [UInt8(dictionary.count)]
    let start = Array(Fixture.libsecret.prefix(54)) + [1, 0, 0, 0] + Array(repeating: 0, count: 12)
    let error = try #require(throws: MigrationError.self) {
      try read(start + item + [UInt8(item.count), 36])
    }
    if count == 32 {
      #expect(error == .wrongPassphrase(path: directory("default.keyring")))
    } else {
      guard case .malformed = error else {
        Issue.record(error)
        return
      }
    }
  }

  @Test func randomEndsNeitherTrapNorHang() {
    var generator = SeededGenerator(seed: 2)
    for _ in 0..<Campaign.size(sample: 600, full: 200_000) {
      var bytes = Fixture.libsecret
      // Few iterations, so that well-formed files cost little.
      bytes.replaceSubrange(54..<58, with: [1, 0, 0, 0])
      for _ in 0..<4 {
        let index = Int.random(in: 58..<bytes.count, using: &generator)
        bytes[index] = UInt8.random(in: .min ... .max, using: &generator)
      }
      bytes.removeLast(Int.random(in: 0..<20, using: &generator))
      do {
        _ = try read(bytes)
        Issue.record("What was sealed with another key was opened.")
      } catch {
        switch error as? MigrationError {
        case .malformed, .wrongPassphrase: break
        default: Issue.record(error)
        }
      }
    }
  }
}
