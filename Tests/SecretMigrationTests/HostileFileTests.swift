import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

@testable import SecretMigration

/// Truncated, changed and damaged files, which must give an error of the right type, or secrets.
struct HostileFileTests {
  enum Source: String, CaseIterable, CustomTestStringConvertible {
    case environment, libsecret, keychainBinary, keychainXML, keychainJSON

    /// The sources that are authenticated as a whole.
    static let sealed = [libsecret, keychainBinary, keychainXML, keychainJSON]

    var testDescription: String { rawValue }

    var bytes: [UInt8] {
      switch self {
      case .environment:
        Array(
          """
          # The Valley Wind
          export A='The Valley
          Wind' # The Valley Wind
          B="The\\nValley Wind"\r
          C=The Valley Wind # a comment
          D=
          """.utf8)
      case .libsecret: Fixture.libsecret
      case .keychainBinary: Fixture.keychainBinary
      case .keychainXML: Fixture.keychainXML
      case .keychainJSON: Fixture.keychainJSON
      }
    }

    func read(
      _ bytes: [UInt8], in directory: TemporaryDirectory, passphrase: String = Fixture.passphrase
    ) throws -> [ForeignSecret] {
      let url = write(bytes, to: directory("file"))
      let passphrase = Secret(passphrase)
      let read =
        switch self {
        case .environment: try ForeignSecrets.environmentFile(at: url, service: "app")
        case .libsecret: try ForeignSecrets.libsecretKeyring(at: url, passphrase: passphrase)
        default: try ForeignSecrets.keychainExport(at: url, passphrase: passphrase)
        }
      return read.secrets
    }
  }

  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test(arguments: Source.sealed) func wrongPassphraseIsAnError(source: Source) {
    for passphrase in ["", "Correct horse", "correct horse\n"] {
      #expect(throws: MigrationError.wrongPassphrase(path: directory("file"))) {
        try source.read(source.bytes, in: directory, passphrase: passphrase)
      }
    }
  }

  /// Expects that reading succeeds, or fails with an error that shows no secret.
  private func read(_ bytes: [UInt8], of source: Source) -> [ForeignSecret]? {
    do {
      return try source.read(bytes, in: directory)
    } catch {
      switch (error as? MigrationError)?.kind {
      case .malformed, .damaged, .wrongPassphrase, .unsupported: break
      default: Issue.record(error)
      }
      for word in ["Valley", "Station", "Žlu", Fixture.passphrase] {
        #expect(!"\(error)".contains(word))
      }
      return nil
    }
  }

  @Test(arguments: Source.allCases) func truncatedFileIsRefused(source: Source) throws {
    let bytes = source == .libsecret ? Fixture.cheapLibsecret : source.bytes
    let step = Campaign.size(sample: bytes.count / 50 + 1, full: 1)
    for count in stride(from: 0, to: bytes.count - 2, by: step) {
      // Nothing but white space may be missing at the end of a file of lines.
      if bytes.dropFirst(count).allSatisfy({ $0 <= 0x20 }) { continue }
      let secrets = read(Array(bytes.prefix(count)), of: source)
      // Files of lines may end earlier.
      #expect(secrets == nil || !Source.sealed.contains(source), "\(count) bytes")
    }
  }

  @Test(arguments: Source.sealed) func changedBitIsNoticedOrIrrelevant(source: Source) throws {
    let bytes = source.bytes
    let expected = try source.read(bytes, in: directory)
    #expect(expected.count > 2)
    let step = Campaign.size(sample: source == .libsecret ? 211 : 31, full: 1)
    // The magic bytes and the version of a keyring come first.
    for index in stride(from: 18, to: bytes.count, by: step) {
      for bit in Campaign.isFull ? 0..<8 : index % 8..<index % 8 + 1 {
        var changed = bytes
        changed[index] ^= 1 << UInt8(bit)
        let secrets = read(changed, of: source)
        #expect(secrets == nil || secrets == expected, "byte \(index), bit \(bit)")
      }
    }
  }

  @Test(arguments: Source.allCases) func damagedFileIsReadOrRefused(source: Source) throws {
    let bytes = source == .libsecret ? Fixture.cheapLibsecret : source.bytes
    var damage = Damage(seed: Campaign.seed, pieces: [bytes])
    var refused = 0
    for _ in 0..<Campaign.size(sample: 100, full: 20_000) {
      if read(damage.damaged(bytes), of: source) == nil { refused += 1 }
    }
    #expect(refused > 0)
  }

  /// Damaged plaintexts, encrypted by an attacker that knows the passphrase.
  @Test(arguments: [Source.keychainBinary, .keychainXML, .keychainJSON])
  func damagedExportItemsAreReadOrRefused(source: Source) throws {
    let export = try KeychainExport(document: source.bytes, of: "file")
    let content = try export.opened(with: Secret(Fixture.passphrase), of: "file")
    // The closure copies the bytes.
    let bytes = unsafe content.withUnsafeBytes { unsafe [UInt8]($0) }
    var damage = Damage(seed: Campaign.seed, pieces: [bytes])
    var refused = 0
    for _ in 0..<Campaign.size(sample: 130, full: 30_000) {
      do throws(MigrationError) {
        let list = try KeychainItems(document: damage.damaged(bytes), of: "file")
        for item in list.items { _ = try item.foreignSecret(at: "item", of: "file") }
      } catch {
        refused += 1
        #expect(error.kind == .malformed || error.kind == .unsupported, "\(error)")
        #expect(!"\(error)".contains("Valley"))
      }
    }
    #expect(refused > 0)
  }

  /// An item of more than 64 KiB, whose offsets have four bytes.
  @Test func largeKeyringItemIsRead() throws {
    let count = 10_000
    let entries = (0..<count).map { number in
      let name = Array("\(number)".utf8) + [0]
      return name + Array("b\0".utf8) + [UInt8(name.count)]
    }
    func offset(_ value: Int) -> [UInt8] {
      (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    var item = entries.flatMap(\.self)
    var end = 0
    for entry in entries {
      end += entry.count
      item += offset(end)
    }
    let dictionary = item.count
    item += Array("label\0".utf8)
    let label = item.count
    item += [UInt8](repeating: 0, count: (8 - label % 8) % 8 + 16) + Array("secret".utf8)
    item += offset(label) + offset(dictionary)
    let found = try LibsecretItem(item[...])
    #expect(found.attributes.count == count && found.attributes["\(count - 1)"] == "b")
    #expect(found.label == "label" && found.secret == Secret("secret".utf8))
  }

  /// Damaged plaintexts of a keyring's items.
  @Test func damagedKeyringItemsAreReadOrRefused() throws {
    var damage = Damage(seed: Campaign.seed, pieces: [])
    // {"b": "c", "d": "e"}, "label", two dates, "The Valley Wind"
    var item = Array("b\0c\0".utf8) + [2] + Array("d\0e\0".utf8) + [2, 5, 10]
    item += Array("label\0".utf8) + Array(repeating: 0, count: 6) + Array(repeating: 0, count: 16)
    item += Array("The Valley Wind".utf8) + [18, 12]
    let sound = try LibsecretItem(item[...])
    #expect(sound.attributes == ["b": "c", "d": "e"])
    #expect(sound.label == "label" && sound.secret == Secret("The Valley Wind"))
    for count in item.indices { _ = try? LibsecretItem(item.prefix(count)) }
    for _ in 0..<Campaign.size(sample: 1000, full: 300_000) {
      _ = try? LibsecretItem(damage.damaged(item)[...])
    }
  }
}
