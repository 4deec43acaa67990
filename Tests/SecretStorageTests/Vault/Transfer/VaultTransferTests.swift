import Concurrency
import TestSupport
import Testing

@testable import SecretStorage

/// Exports and imports that are large, unusual, or concurrent with other work on the vault.
struct VaultTransferTests {
  private let vault = TestVault(batchSize: 20)

  @Test func damagedOrRolledBackVaultIsNotTransferred() throws {
    let object = try vault.openWithItem()
    try object.export(of: vault)
    let old = try vault.bytes
    try object.add("value", account: "b")
    try object.add("value", account: "c")
    let new = try vault.bytes
    var damaged = new
    damaged[old.count + 60] ^= 1
    for (bytes, kind) in [(old, "rolledBack"), (damaged, "corrupted")] {
      try vault.replace(by: bytes)
      for user in [object, vault.open()] {
        expectError(kind) { try user.export(of: vault, overwriting: true) }
        for isDryRun in [true, false] {
          expectError(kind) { try user.importItems(of: vault, isDryRun: isDryRun) }
        }
      }
    }
    try vault.replace(by: new)
    try object.export(of: vault, overwriting: true)
  }

  /// The item cannot be opened here; its sealed form is copied.
  @Test func itemsWithAccessFlagsAreImportedSealed() throws {
    let object = vault.open()
    let control = AccessControl(.afterFirstUnlock, flags: [.applicationPassword])
    let attributes = ItemAttributes(label: "flagged", accessControl: control)
    try vault.plant(.generic(account: "flagged"), Secret([1, 2, 3]), attributes, in: object)
    #expect(try object.export(of: vault).exported.count == 1)
    let other = try vault.otherMachine()
    let target = other.open()
    #expect(try target.importItems(of: other).identities(.added).count == 1)
    #expect(try other.open().movableItems() == object.movableItems())
    #expect(try target.importItems(of: other).identities(.identical).count == 1)
    let flagged = try #require(try target.items(matching: .all).first)
    #expect(throws: SecretStoreError.self) { try other.open().secret(of: flagged.id) }
  }

  @Test func fieldsOfNewerVersionsAreImported() throws {
    var unknown: [UInt8] = [200]
    unknown.append(counted: [1, 2, 3])
    let other = try vault.exported {
      try $0.add("value", account: "a")
      try vault.plant(.generic(account: "new"), Secret([1]), unknown: unknown, in: $0)
    }
    let target = other.open()
    _ = try target.add(
      Secret([1]), identity: .generic(account: "new"), attributes: ItemAttributes())
    #expect(try target.importItems(of: other).identities(.conflict).count == 1)
    try target.importItems(of: other, replacing: true)
    let entries = try target.withContents { contents throws(SecretStoreError) in
      contents.index.items.filter { $0.identity.account == "new" }
    }
    #expect(entries.map(\.unknown) == [unknown[...]])
  }

  @Test func vaultIsUsedDuringTransfers() throws {
    let object = try vault.openWithMany(50, isPortable: true)
    try object.export(of: vault)
    let exported = try object.movableItems()
    let other = try vault.otherMachine()
    let target = other.open()
    try target.add("own", account: "own")
    let vaults = [vault, other]
    let paths = try (0..<2).map { try vault.path("journal-\($0)") }
    let children = try (0..<2).map { number in
      try ChildProcess("write", on: vaults[number], ["2", "-", "p"], journal: paths[number])
    }
    for (child, path) in zip(children, paths) { try child.wait(for: 30, in: path) }
    // Threads of this process: two share the objects of the transfers, and all compact.
    let isOver = Lock(false)
    let writers = [object, vault.open(), target, other.open()]
    try onThreads(5) { thread in
      if thread < 4 {
        var number = 0
        while !isOver.withLock({ $0 }) {
          try writers[thread].add("of a thread", account: "thread \(thread) \(number)")
          number += 1
          if number % 20 == 0 { try writers[thread].compact() }
        }
        return
      }
      defer { isOver.withLock { $0 = true } }
      for _ in 0..<Campaign.size(sample: 2, full: 20) {
        #expect(try object.export(of: vault, overwriting: true).exported.count >= 50)
      }
      let dry = try target.importItems(of: other, isDryRun: true)
      let report = try target.importItems(of: other)
      #expect(report == dry)
      #expect(report.identities(.added).count == 50)
      #expect(try target.importItems(of: other).identities(.identical).count == 50)
    }
    for (number, child) in children.enumerated() {
      try child.kill(after: 30, of: paths[number])
      let reader = vaults[number].open()
      #expect(try reader.verify().isSound && reader.movableItems().isSuperset(of: exported))
      let written = try VaultJournal(paths[number])
      #expect(written.acknowledgmentCount > 10)
      for account in written.accountNames {
        #expect(written.explains(try reader.text(account), of: account))
      }
    }
    // The last export has only complete items, including all initial ones.
    let third = try vault.otherMachine()
    try third.open().importItems(of: third)
    #expect(try third.open().movableItems().isSuperset(of: exported))
  }

  @Test func concurrentImportsAddEachItemOnce() throws {
    let other = try vault.exported { try $0.addMany(50, isPortable: true) }
    let objects = [other.open(), other.open()]
    let reports = Lock([ImportReport]())
    try onThreads(2) { thread in
      let report = try objects[thread].importItems(of: other)
      reports.withLock { $0.append(report) }
    }
    let all = reports.withLock { $0 }
    #expect(all.map { $0.identities(.added).count }.reduce(0, +) == 50)
    #expect(all.map { $0.identities(.identical).count }.reduce(0, +) == 50)
    #expect(try other.open().movableItems() == vault.open().movableItems())
  }
}
