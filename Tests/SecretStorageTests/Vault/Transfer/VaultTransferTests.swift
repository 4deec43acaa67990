import Concurrency
import Dispatch
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Exports and imports that are large, unusual, or concurrent with other work on the vault.
struct VaultTransferTests {
  private let vault = TestVault()

  @Test(.timeLimit(.minutes(30))) func tenThousandItemsGoThere() throws {
    let object = vault.open()
    let count = Campaign.size(sample: 500, full: 10_000)
    try onThreads(20) { thread in
      for number in stride(from: thread, to: count, by: 20) {
        try object.add(
          "value \(number)", account: "\(number)", number % 5 == 0 ? .always : .whenUnlocked)
      }
    }
    #expect(try object.export(of: vault).exported.count == count)
    let other = try vault.otherMachine()
    let report = try other.open().importItems(of: other)
    #expect(report.items(.added).count == count)
    #expect(try other.open().movableItems() == object.movableItems())
    #expect(try other.open().importItems(of: other).items(.identical).count == count)
  }

  @Test func secretsOfEverySizeGoThere() throws {
    let object = vault.open()
    for count in [0, 1, 59, 60, 61, 1 << 20, ItemLimits.secretSize] {
      _ = try object.add(
        Secret([UInt8](repeating: 7, count: count)), identity: .generic(account: "\(count)"),
        attributes: ItemAttributes())
    }
    try object.export(of: vault)
    let other = try vault.otherMachine()
    #expect(try other.open().importItems(of: other).items(.added).count == 7)
    for item in try other.open().items(matching: .all) {
      let secret = try #require(try other.open().secret(of: item.id)?.secret)
      #expect("\(secret.count)" == item.identity.account)
      #expect(secret == Secret([UInt8](repeating: 7, count: secret.count)))
    }
  }

  /// The item cannot be opened here; its sealed form is copied.
  @Test func itemsWithAccessFlagsGoThereUnopened() throws {
    let object = vault.open()
    let control = AccessControl(.afterFirstUnlock, flags: [.applicationPassword])
    let attributes = ItemAttributes(label: "flagged", accessControl: control)
    try object.add("value", account: "a")
    try vault.plant(.generic(account: "flagged"), Secret([1, 2, 3]), attributes, in: object)
    #expect(try object.export(of: vault).exported.count == 2)
    let other = try vault.otherMachine()
    #expect(try other.open().importItems(of: other).items(.added).count == 2)
    #expect(try other.open().movableItems() == object.movableItems())
    #expect(try other.open().importItems(of: other).items(.identical).count == 2)
    let flagged = try #require(
      try other.open().items(matching: .exactly(.generic(account: "flagged"))).first)
    #expect(throws: SecretStoreError.self) { try other.open().secret(of: flagged.id) }
  }

  @Test func fieldsOfNewerVersionsGoAlong() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    var unknown: [UInt8] = [200]
    unknown.append(counted: [1, 2, 3])
    try vault.plant(.generic(account: "new"), Secret([1]), unknown: unknown, in: object)
    try object.export(of: vault)
    let other = try vault.otherMachine()
    let target = other.open()
    _ = try target.add(
      Secret([1]), identity: .generic(account: "new"), attributes: ItemAttributes())
    #expect(try target.importItems(of: other).items(.conflict).count == 1)
    try target.importItems(of: other, conflicts: .replace)
    let entries = try target.withContents { contents throws(SecretStoreError) in
      contents.index.items.filter { $0.identity.account == "new" }
    }
    #expect(entries.map(\.unknown) == [unknown[...]])
  }

  @Test func vaultCanBeUsedByOthersMeanwhile() throws {
    let object = vault.open()
    for number in 0..<600 { try object.add("value \(number)", account: "\(number)") }
    try object.export(of: vault)
    let exported = try object.movableItems()
    let journals = try (0..<2).map { try vault.path("journal-\($0)") }
    let other = try vault.otherMachine()
    let target = other.open()
    try target.add("own", account: "own")
    let children = [
      try ChildProcess("write", on: vault, ["2", "60", "p"], journal: journals[0]),
      try ChildProcess("write", on: other, ["2", "60", "q"], journal: journals[1]),
    ]
    for journal in journals {
      try wait { try FileSystem().status(of: journal)?.size ?? 0 > 1000 }
    }
    // Threads of this process: one shares the exporting object, and one compacts.
    let isOver = Lock(false)
    defer { isOver.withLock { $0 = true } }
    let writers = DispatchGroup()
    for vault in [vault, other] {
      for writer in [vault === other ? target : object, vault.open()] {
        DispatchQueue(label: "writer").async(group: writers) {
          do {
            let own = "thread \(ObjectIdentifier(writer))"
            var number = 0
            while !isOver.withLock({ $0 }) {
              try writer.add("of a thread", account: "\(own) \(number)")
              number += 1
              if number % 20 == 0 { try writer.compact() }
            }
          } catch {
            Issue.record(error)
          }
        }
      }
    }
    for _ in 0..<Campaign.size(sample: 2, full: 20) {
      let report = try object.export(of: vault, overwriting: true)
      #expect(report.exported.count >= 600)
    }
    let dry = try target.importItems(of: other, isDryRun: true)
    let report = try target.importItems(of: other)
    #expect(report == dry)
    #expect(report.items(.added).count == 600)
    #expect(try target.importItems(of: other).items(.identical).count == 600)
    isOver.withLock { $0 = true }
    writers.wait()
    for child in children {
      child.stop()
      child.end()
    }
    for (vault, journal) in zip([vault, other], journals) {
      #expect(try vault.open().verify().isSound)
      #expect(try vault.open().movableItems().isSuperset(of: exported))
      let written = try VaultJournal(journal)
      #expect(written.acknowledgementCount > 10)
      let reader = vault.open()
      for account in written.accountNames {
        #expect(written.explains(try reader.text(account), of: account))
      }
    }
    // The last export has only complete items, including all initial ones.
    let third = try vault.otherMachine()
    try third.open().importItems(of: third)
    #expect(try third.open().movableItems().isSuperset(of: exported))
  }

  @Test func twoImportsAtOnceAddEachItemOnce() throws {
    for number in 0..<600 { try vault.open().add("value \(number)", account: "\(number)") }
    try vault.open().export(of: vault)
    let other = try vault.otherMachine()
    let objects = [other.open(), other.open()]
    let reports = Lock([ImportReport]())
    try onThreads(2) { thread in
      let report = try objects[thread].importItems(of: other)
      reports.withLock { $0.append(report) }
    }
    let all = reports.withLock { $0 }
    #expect(all.map { $0.items(.added).count }.reduce(0, +) == 600)
    #expect(all.map { $0.items(.identical).count }.reduce(0, +) == 600)
    #expect(try other.open().movableItems() == vault.open().movableItems())
  }
}
