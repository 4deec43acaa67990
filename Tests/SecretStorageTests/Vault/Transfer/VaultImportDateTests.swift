import FoundationEssentials
import Testing

@testable import SecretStorage

/// Dates from fast or manipulated clocks.
struct VaultImportDateTests {
  private static let day = 86_400.0
  private let vault = TestVault()
  private let target = TestVault()

  @Test(arguments: [1 << 62, 1 << 60, 1 << 53] as [Int64])
  func importRedatesItemsOfTheFuture(_ created: Int64) throws {
    let object = vault.open()
    try object.setPassphrase(TestVault.passphrase, cost: .cheap)
    try vault.plant(.generic(account: "sound"), Secret([1]), in: object)
    try vault.plant(.generic(account: "late"), Secret([2]), created: created, in: object)
    let other = target.open()
    let begin = Date()
    for isDryRun in [true, false] {
      let report = try other.importItems(
        from: vault.file, passphrase: TestVault.passphrase, isDryRun: isDryRun)
      #expect(report.entries.map(\.item.identity.account) == ["sound", "late"])
      #expect(report.entries.map(\.isRedated) == [false, true])
      #expect(report.items(.added).count == 2)
    }
    let latest = Date().addingTimeInterval(Self.day)
    let items = try target.open().items(matching: .all)
    let late = try #require(items.first { $0.identity.account == "late" })
    #expect((begin.addingTimeInterval(Self.day)...latest).contains(late.creationDate))
    #expect(late.modificationDate <= Date())
    // Later dates continue from the import's, not from the maximum.
    try other.add("value", account: "afterwards")
    let afterwards = try #require(try other.item("afterwards"))
    #expect(afterwards.creationDate <= latest.addingTimeInterval(1))
    // A second import finds the same item.
    let again = try other.importItems(from: vault.file, passphrase: TestVault.passphrase)
    #expect(again.entries.allSatisfy { $0.outcome == .identical && !$0.isRedated })
  }

  @Test func datesUpToThoseOfTheVaultAreKept() throws {
    let object = vault.open()
    try object.setPassphrase(TestVault.passphrase, cost: .cheap)
    let now = Int64(Date().timeIntervalSince1970 * 1e6)
    let year = Int64(Self.day * 1e6) * 365
    try vault.plant(.generic(account: "late"), Secret([1]), created: now + year, in: object)
    let other = target.open()
    try target.plant(.generic(account: "own"), Secret([2]), created: now + year, in: other)
    let report = try target.open().importItems(
      from: vault.file, passphrase: TestVault.passphrase)
    #expect(report.entries.map(\.isRedated) == [false])
  }
}
