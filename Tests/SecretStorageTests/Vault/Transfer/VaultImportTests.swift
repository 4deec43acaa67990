import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

struct VaultImportTests {
  private static let day = 86_400.0
  private let vault = TestVault(batchSize: 20)

  @Test func importAddsTheItemsOfTheExport() throws {
    let object = vault.open()
    try object.fill()
    let report = try object.export(of: vault)
    let other = try vault.otherMachine()
    let dry = try other.open().importItems(of: other, isDryRun: true)
    #expect(try other.names() == ["moved.vault"])
    let imported = try other.open().importItems(of: other)
    #expect(imported.identities(.added) == imported.entries.map(\.identity))
    #expect(imported.entries.map(\.identity) == report.exported.map(\.identity))
    #expect(dry.identities(.added) == report.exported.map(\.identity))
    let reader = other.open()
    #expect(try reader.movableItems() == object.movableItems())
    #expect(try reader.verify().isSound)
    // Imported items keep their order, and items added later are newer.
    let added = try reader.add("value", account: "later")
    let order = try reader.items(matching: .all).map(\.identity)
    #expect(order == report.exported.map(\.identity) + [added.identity])
  }

  @Test func importIsVisibleToOthers() throws {
    let other = try vault.exported { try $0.add("value", account: "a") }
    let (importer, reader) = (other.open(), other.open())
    #expect(try reader.items(matching: .all) == [])
    let heard = Heard<Int>()
    let token = importer.observeChanges { heard.hear(1) }
    try importer.importItems(of: other)
    heard.wait(for: 1)
    withExtendedLifetime(token) {}
    for object in [reader, importer] { #expect(try object.texts() == ["a": "value"]) }
    #expect(
      try other.names() == [
        "moved.vault", "secrets.vault", "secrets.vault.lock", "secrets.vault.reserve", "state",
      ])
  }

  @Test(arguments: [false, true])
  func importReportsTheOutcomeOfEveryItem(replacing: Bool) throws {
    let other = try vault.exported { object in
      for account in ["same", "secret", "label", "class", "to always", "from always", "new"] {
        try object.add(
          "value", account: account, account == "to always" ? .always : .whenUnlocked,
          label: "label")
      }
    }
    let target = other.open()
    let same = try target.add("value", account: "same", label: "label")
    try target.add("other", account: "secret", label: "label")
    try target.add("value", account: "label", label: "other")
    try target.add("value", account: "class", .whenUnlockedThisDeviceOnly, label: "label")
    try target.add("value", account: "to always", label: "label")
    try target.add("value", account: "from always", .always, label: "label")
    try target.add("own", account: "own")
    let before = try target.items(matching: .all)
    let (bytes, names) = (try other.bytes, try other.names())

    let dry = try target.importItems(of: other, replacing: replacing, isDryRun: true)
    #expect(try other.bytes == bytes)
    #expect(try other.names() == names)
    let report = try target.importItems(of: other, replacing: replacing)
    #expect(report == dry)
    #expect(report.identities(.identical).map(\.account) == ["same"])
    #expect(report.identities(.added).map(\.account) == ["new"])
    #expect(report.identities(.conflict).count == 5)
    let items = try other.open().items(matching: .all)
    #expect(items.count == 8)
    #expect(try other.open().verify().isSound)
    if !replacing {
      #expect(items.filter { $0.identity.account != "new" } == before)
    } else {
      // Names and identical items stay; all else comes from the export.
      #expect(Set(before.map(\.id)).isSubset(of: Set(items.map(\.id))))
      let moved = try other.open().movableItems().intersection(vault.open().movableItems())
      #expect(moved.count == 6)
      #expect(items.contains(same))
    }
    // A second import changes nothing.
    let again = try target.importItems(of: other, replacing: replacing)
    #expect(again.identities(.identical).count == (replacing ? 7 : 2))
    #expect(try other.open().items(matching: .all) == items)
  }

  /// A process with only the key for always accessible items must not see the replaced state.
  @Test func replacedItemHasNoStateUnderItsOldKey() throws {
    let other = try vault.exported { try $0.add("new", account: "a") }
    let target = try other.protected()
    try target.add("old", account: "a", .always)
    #expect(try other.open().text("a") == "old")
    try target.importItems(of: other, replacing: true)
    expectLocked { try other.open().text("a") }
    #expect(try target.text("a") == "new")
  }

  /// In a record shared with other items, its loss would not reveal the change.
  @Test func damagedReplacementHidesTheOldItem() throws {
    let accounts = ["0", "1", "2"]
    let other = try vault.exported { object in
      for account in accounts { try object.add("new", account: account) }
    }
    for account in accounts { try other.open().add("old", account: account) }
    let before = try other.bytes
    try other.open().importItems(of: other, replacing: true)
    let bytes = try other.bytes
    for place in stride(from: before.count + 50, to: bytes.count, by: 100) {
      var damaged = bytes
      damaged[place] ^= 1
      try other.replace(by: damaged)
      let reader = other.open()
      for account in accounts {
        do throws(SecretStoreError) {
          #expect(try reader.text(account) == "new")
        } catch {
          if error.corrupted == nil { throw error }
        }
      }
    }
    // So does a copy from before the import.
    try other.replace(by: before)
    expectError("rolledBack") { _ = try other.open().texts() }
  }

  @Test func itemsOfTheSameFileAreIdentical() throws {
    let object = try vault.protected()
    try object.fill(includingPasscode: true)
    let (bytes, names) = (try vault.bytes, try vault.names())
    let report = try object.importItems(from: vault.file, passphrase: TestVault.passphrase)
    #expect(report.identities(.identical).count == 13)
    #expect(report.identities(.refused("It is bound to the source device.")).count == 12)
    #expect(try vault.bytes == bytes)
    #expect(try vault.names() == names)
  }

  @Test func vaultOfAnotherMachineIsImported() throws {
    let object = try vault.protected()
    try object.fill()
    let target = TestVault().open()
    try target.add("own", account: "own")
    let report = try target.importItems(from: vault.file, passphrase: TestVault.passphrase)
    #expect(report.identities(.added).count == 13)
    #expect(report.entries.count == 22)
    #expect(try target.movableItems().isSuperset(of: object.movableItems()))
    // The rest of an interrupted write was never acknowledged, and is ignored.
    try TestVault.append(Array(Frame.magic), to: vault.path)
    let again = try target.importItems(from: vault.file, passphrase: TestVault.passphrase)
    #expect(again.identities(.identical).count == 13)
  }

  @Test func vaultWithoutAPassphraseIsNotImported() throws {
    try vault.open().add("value", account: "a")
    expectError("invalid") {
      try TestVault().open().importItems(from: vault.file, passphrase: TestVault.passphrase)
    }
  }

  @Test func cancelledImportIsResumed() throws {
    let other = try vault.exported { try $0.addMany(50, isPortable: true) }
    let target = other.open()
    for error in ["cancelled", "locked"] {
      var heard: [MaintenanceProgress] = []
      expectError(error) {
        try target.importItems(of: other) {
          heard.append($0)
          if heard.count < 3 { return .proceed }
          if error == "locked" { target.lock() }
          return error == "cancelled" ? .cancel : .proceed
        }
      }
      #expect(heard.map(\.completed) == [0, 0, 20] && heard.map(\.total) == [0, 50, 50])
      #expect(try other.open().texts().count == 20)
      try target.unlock()
    }
    let report = try target.importItems(of: other)
    #expect(report.identities(.identical).count == 20)
    #expect(report.identities(.added).count == 30)
    #expect(try other.open().movableItems() == vault.open().movableItems())
    // Items are stored in blocks, so an import takes a handful of records.
    #expect(TestVault.frames(of: try other.bytes).count < 12)
  }

  // Dates from fast or manipulated clocks.

  @Test(arguments: [1 << 62, 1 << 60, 1 << 53] as [Int64])
  func importRedatesItemsOfTheFuture(_ created: Int64) throws {
    let object = try vault.protected()
    try vault.plant(.generic(account: "sound"), Secret([1]), in: object)
    try vault.plant(.generic(account: "late"), Secret([2]), created: created, in: object)
    let other = TestVault().open()
    let begin = Date()
    for isDryRun in [true, false] {
      let report = try other.importItems(
        from: vault.file, passphrase: TestVault.passphrase, isDryRun: isDryRun)
      #expect(report.entries.map(\.identity.account) == ["sound", "late"])
      #expect(report.entries.map(\.isRedated) == [false, true])
      #expect(report.identities(.added).count == 2)
    }
    let latest = Date().addingTimeInterval(Self.day)
    let late = try #require(try other.items(matching: .exactly(.generic(account: "late"))).first)
    #expect((begin.addingTimeInterval(Self.day)...latest).contains(late.creationDate))
    #expect(late.modificationDate <= Date())
    // Later dates continue from the import's, not from the maximum.
    let afterwards = try other.add("value", account: "afterwards")
    #expect(afterwards.creationDate <= latest.addingTimeInterval(1))
    // A second import finds the same item.
    let again = try other.importItems(from: vault.file, passphrase: TestVault.passphrase)
    #expect(again.entries.allSatisfy { $0.outcome == .identical && !$0.isRedated })
  }

  @Test func datesUpToThoseOfTheVaultAreKept() throws {
    let target = TestVault()
    let late = Int64((Date().timeIntervalSince1970 + 365 * Self.day) * 1e6)
    try vault.plant(.generic(account: "late"), Secret([1]), created: late, in: vault.protected())
    try target.plant(.generic(account: "own"), Secret([2]), created: late, in: target.open())
    let report = try target.open().importItems(
      from: vault.file, passphrase: TestVault.passphrase)
    #expect(report.entries.map(\.isRedated) == [false])
  }
}
