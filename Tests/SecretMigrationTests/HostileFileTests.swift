import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

@testable import SecretMigration

/// Random damage to files, which must give an error of the right type, or secrets.
struct HostileFileTests {
  private static let environment = Array(
    """
    # The Valley Wind
    export A='The Valley
    Wind' # The Valley Wind
    B="The\\n\\"Valley\\" Wind"\r
    C=The Valley Wind # a comment
    D=
    """.utf8)

  private static let libsecret = {
    var bytes = Fixture.libsecret
    // One iteration; the field follows the magic bytes, the version, the salt and its length.
    bytes.replaceSubrange(54..<58, with: [1, 0, 0, 0])
    return bytes
  }()

  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Reads damaged files, and checks their errors.
  private func read(
    seed: UInt64, _ files: [[UInt8]], sample: Int, full: Int,
    with read: (URL, [UInt8]) throws -> Void
  ) throws {
    var damage = Damage(seed: seed, pieces: files)
    var refused = 0
    for round in 0..<Campaign.size(sample: sample, full: full) {
      let bytes = damage.damaged(files[round % files.count])
      let url = write(bytes, to: directory("file"))
      do {
        try read(url, bytes)
      } catch {
        refused += 1
        switch error as? MigrationError {
        case .malformed, .damaged, .wrongPassphrase, .unsupported: break
        default: Issue.record(error)
        }
        for word in ["Valley", "Station", "Žlu", Fixture.passphrase] {
          #expect(!"\(error)".contains(word))
        }
      }
    }
    #expect(refused > 0)
  }

  @Test func environmentFiles() throws {
    try read(seed: 1, [Self.environment], sample: 300, full: 50_000) {
      url, _ throws in
      _ = try ForeignSecrets.environmentFile(at: url, service: "app")
    }
  }

  @Test func cryptFiles() throws {
    // A short user name has few spellings to try.
    let files = [Fixture.cryptFileOfVersion138, Fixture.cryptFileOfVersion134]
    try read(seed: 2, files, sample: 100, full: 20_000) { url, _ throws in
      _ = try ForeignSecrets.cryptFile(
        at: url, passphrase: Secret(Fixture.passphrase), skippingUnreadable: true,
        derivingBy: KnownKeys.derive)
    }
  }

  @Test func libsecretKeyrings() throws {
    try read(seed: 3, [Self.libsecret], sample: 300, full: 50_000) {
      url, _ throws in
      _ = try ForeignSecrets.libsecretKeyring(at: url, passphrase: Secret(Fixture.passphrase))
    }
  }

  @Test func keychainExports() throws {
    let files = [Fixture.keychainBinary, Fixture.keychainXML, Fixture.keychainJSON]
    try read(seed: 4, files, sample: 200, full: 50_000) { url, _ throws in
      _ = try ForeignSecrets.keychainExport(at: url, passphrase: Secret(Fixture.passphrase))
    }
  }

  /// Damaged plaintexts, encrypted by an attacker that knows the passphrase.
  @Test func itemsOfKeychainExports() throws {
    var files: [[UInt8]] = []
    for file in [Fixture.keychainBinary, Fixture.keychainXML, Fixture.keychainJSON] {
      let export: KeychainExport = try ExportDocument(file, of: "file").decode()
      let content = try export.decrypted(with: Secret(Fixture.passphrase), of: "file")
      // The closure copies the bytes.
      files.append(unsafe content.withUnsafeBytes { unsafe [UInt8]($0) })
    }
    try read(seed: 5, files, sample: 400, full: 100_000) { _, bytes throws(MigrationError) in
      let list: KeychainItems = try ExportDocument(bytes, of: "file").decode()
      for item in list.items { _ = try item.foreignSecret(at: "item", of: "file") }
    }
  }

  /// Damaged plaintexts of a keyring's items.
  @Test func itemsOfLibsecretKeyrings() throws {
    var damage = Damage(seed: 6, pieces: [])
    // {"b": "c", "d": "e"}, "label", two dates, "The Valley Wind"
    var item = Array("b\0c\0".utf8) + [2] + Array("d\0e\0".utf8) + [2, 5, 10]
    item += Array("label\0".utf8) + Array(repeating: 0, count: 6) + Array(repeating: 0, count: 16)
    item += Array("The Valley Wind".utf8) + [18, 12]
    let sound = try #require(LibsecretItem(Secret(item)))
    #expect(sound.attributes == ["b": "c", "d": "e"])
    #expect(sound.label == "label" && sound.secret == Secret("The Valley Wind"))
    for count in item.indices { _ = LibsecretItem(Secret(item.prefix(count))) }
    for _ in 0..<Campaign.size(sample: 300, full: 300_000) {
      _ = LibsecretItem(Secret(damage.damaged(item)))
    }
  }
}
