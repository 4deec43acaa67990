import CipherSupport
import Testing

@testable import SecretStorage

/// Files of a forger without a key that would take much work or memory, or print much.
struct VaultForgedSizeTests {
  private let vault = TestVault()
  private let cipher = MeasuredCipher()

  enum Filling: CaseIterable {
    case emptyFrames, scatteredEmptyFrames, malformedRecords, scatteredMalformedRecords
    case foreignItems, manyTables, manyCopies

    /// Returns frames, and their place among the records of a vault.
    func forged(for sound: ForgedFile) throws -> (place: Int, bytes: [UInt8]) {
      let end = sound.records.count
      switch self {
      case .emptyFrames: return (end, Self.repeated(ForgedFile.frame(of: [])))
      case .scatteredEmptyFrames: return (end, Self.repeated(ForgedFile.frame(of: []) + [0]))
      case .malformedRecords: return (end, Self.repeated(Self.malformed))
      case .scatteredMalformedRecords: return (0, Self.repeated(Self.malformed + [0]))
      case .foreignItems:
        // The locked vault has the key of this record.
        var item = sound.records[end - 1]
        #expect(item[number: "kind"] == 2)
        item[number: "sequence"] += 1
        item["attributes"] = .bytes("attributes", item["attributes"].encoded.map { ~$0 })
        return (end, Self.repeated(ForgedFile.frame(of: item.encoded)))
      case .manyTables:
        var table = sound.records[0]
        table.addKeys((0..<40).map { Self.key($0, copies: 3) })
        let frames = (0..<60).map { _ in
          table[number: "sequence"] += 1
          return ForgedFile.frame(of: table.encoded)
        }
        return (0, Array(frames.joined()))
      case .manyCopies:
        var table = sound.records[0]
        table.addKeys([Self.key(0, copies: 4000)])
        return (0, ForgedFile.frame(of: table.encoded))
      }
    }

    private static let malformed = ForgedFile.frame(of: [UInt8](repeating: 0, count: 41))

    private static func repeated(_ bytes: [UInt8]) -> [UInt8] {
      Array(repeatElement(bytes, count: LogChanges.damageLimit + 200).joined())
    }

    /// Returns a key with copies under the device's key that do not open.
    static func key(
      _ number: Int, copies count: Int, saltSize: Int = 32, sealedSize: Int = 48
    ) -> Field {
      let copy = Field.list(
        "one of copies",
        [
          .number("wrapping", 2, 1),
          .counted("copy salt", [UInt8](repeating: 7, count: saltSize)),
          .counted("sealed key", [UInt8](repeating: 7, count: sealedSize)),
        ])
      return ForgerKeys.section(
        2,
        .counted(
          "key",
          [
            .number("key number", number, 4), .number("purpose", 3, 1),
            .list("copies", Array(repeating: copy, count: count)),
          ]))
    }
  }

  /// Makes a vault with a passphrase, whose last record is an item that it can read while locked.
  private func make() throws -> ForgedFile {
    try vault.protected().add("value", account: "a", .always)
    return ForgedFile(try vault.bytes)
  }

  @Test(arguments: Filling.allCases)
  func forgedFileTakesLimitedWorkAndMemory(_ filling: Filling) throws {
    var file = try make()
    let (place, bytes) = try filling.forged(for: file)
    file.pieces.insert(.bytes(bytes), at: place)
    try vault.replace(by: file.encoded)
    try vault.forget()
    let reader = vault.open(cipher: cipher)
    _ = cipher.takeWork()
    var message = ""
    do { _ = try reader.texts() } catch { message = "\(error)" }
    // For 16 tables: 120 copies, tried twice, and a few sound ones; or 1,001 records of items.
    #expect(cipher.takeWork().derived < 6000)
    #expect(message.utf8.count < 4000)
    let found = try reader.verify()
    #expect(!found.isSound && found.damage.count <= LogChanges.damageLimit + 1)
    #expect(reader.diagnose().description.utf8.count < 10_000)
  }

  /// A byte and a replayed record are two damaged places.
  @Test(arguments: [(500, ["value"]), (501, [])])
  func recordsUpToTheLimitOfDamageAreRead(_ count: Int, _ expected: [String]) throws {
    try vault.open().add("value", account: "a")
    var file = ForgedFile(try vault.bytes)
    let pair = [0] + ForgedFile.frame(of: file.records[0].encoded)
    file.pieces.insert(.bytes(Array(repeatElement(pair, count: count).joined())), at: 2)
    try vault.replace(by: file.encoded)
    let reader = vault.open()
    #expect(try reader.salvageableItems().map(\.secret.text) == expected)
    // The records that were not read may have any item.
    if expected.isEmpty { #expect(throws: SecretStoreError.self) { try reader.item("b") } }
    #expect(try reader.verify().damage.count == min(2 * count, LogChanges.damageLimit + 1))
  }

  @Test func tableHasTheSizesOfThePage() throws {
    let sound = try make().records[0]
    func isTable(_ section: Field) -> Bool {
      var record = sound
      record.addKeys([section])
      return KeyTableRecord.ifTable(record.encoded[...], TestCipher()) != nil
    }
    for count in 0...3 { #expect(isTable(Filling.key(7, copies: count))) }
    #expect(!isTable(Filling.key(7, copies: 4)))
    for (salt, sealed) in [(31, 48), (33, 48), (32, 47), (32, 49)] {
      #expect(!isTable(Filling.key(7, copies: 1, saltSize: salt, sealedSize: sealed)))
    }
    for (count, isRead) in [(0, false), (1, true), (200, true), (201, false)] {
      let name = [UInt8](repeating: 0x61, count: count)
      let slot = try ForgerKeys().slot(named: name, in: [UInt8](repeating: 0, count: 16))
      #expect(isTable(slot) == isRead, "\(count)")
    }
    let rest = KeyTableRecord.sizeLimit - sound.encoded.count - 5
    for (count, isRead) in [(rest, true), (rest + 1, false)] {
      let bytes = [UInt8](repeating: 7, count: count)
      #expect(isTable(ForgerKeys.section(200, .counted("unknown", bytes))) == isRead, "\(count)")
    }
  }

  @Test func tableThatIsTooLargeIsNotWritten() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    let bytes = try vault.bytes
    let error = try failure {
      try object.changeKeys { change throws(SecretStoreError) in
        change.table.unknown = [(200, [UInt8](repeating: 7, count: KeyTableRecord.sizeLimit)[...])]
      }
    }
    #expect(error.invalid?.contains("exceed 1 MiB") == true)
    #expect(try vault.bytes == bytes)
  }
}

extension [Field] {
  /// Adds sections before those of a record of a key table.
  fileprivate mutating func addKeys(_ sections: [Field]) {
    var content = self["table"].parts
    content["sections"].parts.insert(contentsOf: sections, at: 0)
    self["table"].parts = content
  }
}
