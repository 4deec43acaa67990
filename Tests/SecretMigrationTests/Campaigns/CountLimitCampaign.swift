import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

@testable import SecretMigration

/// Files with one value or secret more than the limits allow.
struct CountLimitCampaign {
  private static let tooMany = "it has more than 100000 secrets"

  @Test func manyValuesAreMalformed() throws {
    let count = 1_000_001
    let number = BinaryPropertyListFile.number(UInt64(count), size: 4)
    let references = Array(repeating: [0, 0, 1] as [UInt8], count: count).joined()
    let binary = BinaryPropertyListFile(
      objects: [[0xaf, 0x12] + number + references, [0x09]], offsetSize: 4, referenceSize: 3)
    for bytes in [
      Array(("[" + String(repeating: "[],", count: count) + "[]]").utf8),
      Array(("<array>" + String(repeating: "<true/>", count: count) + "</array>").utf8),
      binary.bytes,
    ] {
      try expectError(.malformed) { try KeychainItems(document: bytes, of: "file") }
    }
  }

  @Test func manyItemsAreUnsupported() throws {
    let item = #"{"class":"genp","v_Data":""}"#
    let limit = ForeignSecrets.countLimit
    let text = "[" + String(repeating: item + ",", count: limit) + item + "]"
    let list = try KeychainItems(document: Array(text.utf8), of: "file")
    #expect(list.items.count == limit + 1)
    #expect(throws: MigrationError.unsupported(path: "", reason: Self.tooMany)) {
      try ForeignSecrets.checkCount(list.items.count, of: "")
    }
  }

  @Test func numberOfVariablesIsLimited() throws {
    let directory = try TemporaryDirectory()
    let lines = (0...ForeignSecrets.countLimit).map { "A\($0)=" }
    let all = write(Array(lines.joined(separator: "\n").utf8), to: directory("all"))
    let error = MigrationError.unsupported(path: all.path, reason: Self.tooMany)
    #expect(throws: error) { try ForeignSecrets.environmentFile(at: all, service: "app") }
    let most = write(Array(lines.dropLast().joined(separator: "\n").utf8), to: directory("most"))
    #expect(
      try ForeignSecrets.environmentFile(at: most, service: "app").secrets.count
        == ForeignSecrets.countLimit)
  }
}
