import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

struct VaultImportTests {
  private let vault = TestVault(batchSize: 20)

  @Test func importAddsTheItemsOfTheExport() throws {
    let object = vault.open()
    try object.fill()
    let report = try object.export(of: vault)
    let other = try vault.otherMachine()
    let imported = try other.open().importItems(of: other)
    #expect(imported.items(.added) == imported.entries.map(\.item))
    #expect(imported.entries.map(\.item.identity) == report.exported.map(\.identity))
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
    let importer = other.open()
    let reader = other.open()
    #expect(try reader.items(matching: .all) == [])
    let heard = Heard<Int>()
    let token = importer.observeChanges { heard.hear(1) }
    try importer.importItems(of: other)
    heard.wait(for: 1)
    withExtendedLifetime(token) {}
    #expect(try reader.texts() == ["a": "value"])
    #expect(try importer.texts() == ["a": "value"])
    let files = try other.names()
    #expect(
      files == [
        "moved.vault", "secrets.vault", "secrets.vault.lock", "secrets.vault.reserve", "state",
      ])
  }

  @Test(arguments: [ImportConflicts.keepExisting, .replace])
  func importReportsTheOutcomeOfEveryItem(_ conflicts: ImportConflicts) throws {
    let object = vault.open()
    for account in ["same", "secret", "label", "class", "to always", "from always", "new"] {
      try object.add(
        "value", account: account, account == "to always" ? .always : .whenUnlocked, label: "label")
    }
    try object.export(of: vault)
    let exported = try object.movableItems()

    let other = try vault.otherMachine()
    let target = other.open()
    try target.add("value", account: "same", label: "label")
    try target.add("other", account: "secret", label: "label")
    try target.add("value", account: "label", label: "other")
    try target.add("value", account: "class", .whenUnlockedThisDeviceOnly, label: "label")
    try target.add("value", account: "to always", label: "label")
    try target.add("value", account: "from always", .always, label: "label")
    try target.add("own", account: "own")
    let before = try target.items(matching: .all)
    let same = try #require(try target.item("same"))

    let dry = try target.importItems(of: other, conflicts: conflicts, isDryRun: true)
    #expect(try target.items(matching: .all) == before)
    let report = try target.importItems(of: other, conflicts: conflicts)
    #expect(report == dry)
    #expect(report.items(.identical).map(\.identity.account) == ["same"])
    #expect(report.items(.added).map(\.identity.account) == ["new"])
    #expect(report.items(.conflict).count == 5)
    let items = try other.open().items(matching: .all)
    #expect(items.count == 8)
    #expect(try other.open().verify().isSound)
    if conflicts == .keepExisting {
      #expect(items.filter { $0.identity.account != "new" } == before)
    } else {
      // Names and identical items stay; all else comes from the export.
      #expect(Set(before.map(\.id)).isSubset(of: Set(items.map(\.id))))
      let moved = try other.open().movableItems().intersection(exported)
      #expect(moved.count == 6)
      #expect(items.contains(same))
    }
    // A second import changes nothing.
    let again = try target.importItems(of: other, conflicts: conflicts)
    #expect(again.items(.identical).count == (conflicts == .replace ? 7 : 2))
    #expect(try other.open().items(matching: .all) == items)
  }

  /// A process with only the key for always accessible items must not see the replaced state.
  @Test func replacedItemHasNoStateUnderItsOldKey() throws {
    let other = try vault.exported { try $0.add("new", account: "a") }
    let target = other.open()
    try target.add("old", account: "a", .always)
    try target.setPassphrase(Secret("own".utf8), cost: .cheap)
    #expect(try other.open().text("a") == "old")
    try target.importItems(of: other, conflicts: .replace)
    #expect(throws: SecretStoreError.locked) { try other.open().text("a") }
    #expect(try target.text("a") == "new")
  }

  /// In a record shared with other items, its loss would not reveal the change.
  @Test func damagedReplacementHidesTheOldItem() throws {
    let other = try vault.exported { object in
      for number in 0..<3 { try object.add("new", account: "\(number)") }
    }
    for number in 0..<3 { try other.open().add("old", account: "\(number)") }
    let size = try other.bytes.count
    try other.open().importItems(of: other, conflicts: .replace)
    let bytes = try other.bytes
    for place in stride(from: size + 50, to: bytes.count, by: 100) {
      var damaged = bytes
      damaged[place] ^= 1
      try other.replace(by: damaged)
      let reader = other.open()
      for number in 0..<3 {
        do throws(SecretStoreError) {
          #expect(try reader.text("\(number)") == "new")
        } catch {
          guard case .corrupted = error else { throw error }
        }
      }
    }
  }

  @Test func copyFromBeforeAnImportIsRefused() throws {
    let other = try vault.exported { try $0.add("value", account: "a") }
    try other.open().add("own", account: "own")
    let before = try other.bytes
    try other.open().importItems(of: other)
    try other.replace(by: before)
    expectError("rolledBack") {
      _ = try other.open().items(matching: .all)
    }
  }

  @Test func dryRunChangesNothing() throws {
    let other = try vault.exported { try $0.fill() }
    let dry = try other.open().importItems(of: other, isDryRun: true)
    #expect(dry.items(.added).count == 13)
    #expect(try other.names() == ["moved.vault"])
    try other.open().add("different", account: "always 0")
    let (bytes, names) = (try other.bytes, try other.names())
    let second = try other.open().importItems(of: other, conflicts: .replace, isDryRun: true)
    #expect(try other.bytes == bytes)
    #expect(try other.names() == names)
    #expect(try other.open().importItems(of: other, conflicts: .replace) == second)
  }

  @Test func itemsOfTheSameFileAreIdentical() throws {
    let object = vault.open()
    try object.setPassphrase(TestVault.passphrase, cost: .cheap)
    try object.fill(includingPasscode: true)
    let (bytes, names) = (try vault.bytes, try vault.names())
    let report = try object.importItems(from: vault.file, passphrase: TestVault.passphrase)
    #expect(report.items(.identical).count == 13)
    #expect(
      report.items(.refused("It is bound to the source device.")).count == 12)
    #expect(try vault.bytes == bytes)
    #expect(try vault.names() == names)
  }

  @Test func vaultOfAnotherMachineIsImported() throws {
    let object = vault.open()
    try object.setPassphrase(TestVault.passphrase, cost: .cheap)
    try object.fill()
    let other = TestVault()
    let target = other.open()
    try target.add("own", account: "own")
    let report = try target.importItems(from: vault.file, passphrase: TestVault.passphrase)
    #expect(report.items(.added).count == 13)
    #expect(report.entries.count == 22)
    #expect(try target.movableItems().isSuperset(of: object.movableItems()))
    // The rest of an interrupted write was never acknowledged, and is ignored.
    try TestVault.append(Array(Frame.magic), to: vault.path)
    let again = try target.importItems(from: vault.file, passphrase: TestVault.passphrase)
    #expect(again.items(.identical).count == 13)
  }

  @Test func vaultWithoutAPassphraseIsNotImported() throws {
    try vault.open().add("value", account: "a")
    expectError("invalid") {
      try TestVault().open().importItems(from: vault.file, passphrase: TestVault.passphrase)
    }
  }

  @Test func lockedVaultRefusesImports() throws {
    let other = try vault.exported { try $0.add("value", account: "a", .always) }
    try other.open().setPassphrase(Secret("own".utf8), cost: .cheap)
    let bytes = try other.bytes
    for isDryRun in [true, false] {
      expectError("locked") {
        try other.open().importItems(of: other, isDryRun: isDryRun)
      }
    }
    #expect(try other.bytes == bytes)
    let object = other.open()
    try object.unlock(with: .passphrase(Secret("own".utf8)))
    #expect(try object.importItems(of: other).items(.added).count == 1)
  }

  @Test func damagedVaultRefusesImports() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    try object.export(of: vault)
    let size = try vault.bytes.count
    try object.add("value", account: "b")
    try object.add("value", account: "c")
    try TestVault.change(vault.path, at: size + 60, to: ~(try vault.bytes[size + 60]))
    for isDryRun in [true, false] {
      expectError("corrupted") {
        try vault.open().importItems(of: vault, isDryRun: isDryRun)
      }
    }
  }

  @Test func cancelledImportIsResumed() throws {
    let other = try vault.exported { try $0.addMany(50, isPortable: true) }
    let target = other.open()
    for (decision, error) in [
      (MaintenanceProgress.Decision.cancel, "cancelled"), (.proceed, "locked"),
    ] {
      var heard: [Int] = []
      expectError(error) {
        try target.importItems(of: other) {
          heard.append($0.completed)
          #expect($0.total == 50)
          if heard.count < 2 { return .proceed }
          if decision == .proceed { target.lock() }
          return decision
        }
      }
      #expect(heard == [0, 20])
      #expect(try other.open().texts().count == 20)
      try target.unlock()
    }
    let report = try target.importItems(of: other)
    #expect(report.items(.identical).count == 20)
    #expect(report.items(.added).count == 30)
    #expect(try other.open().movableItems() == vault.open().movableItems())
    // Items are stored in blocks, so an import takes a handful of records.
    #expect(TestVault.frames(of: try other.bytes).count < 12)
  }
}
