import CLibrary
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Processes killed at random moments of an export or an import.
struct VaultTransferKillTests {
  private let vault = TestVault()

  /// Makes a vault with items of both attribute keys, and exports it.
  private func exported() throws -> (items: Set<MovedItem>, bytes: [UInt8]) {
    let object = vault.open()
    for number in 0..<700 {
      try object.add(
        "value \(number)", account: "\(number)", number % 3 == 0 ? .always : .whenUnlocked)
    }
    try object.export(of: vault)
    return (try object.movableItems(), try TestVault.bytes(of: vault.export.path))
  }

  private func kill(_ child: ChildProcess, journal: String, within microseconds: Int) throws {
    try wait { try FileSystem().status(of: journal) != nil && !content(of: journal).isEmpty }
    usleep(UInt32.random(in: 0..<UInt32(microseconds)))
    child.stop()
    let status = child.end()
    // Killed during the work, or finished just before.
    #expect(status == SIGKILL || status == 0)
  }

  @Test func exportOfAKilledProcessIsWholeOrNotThere() throws {
    let (items, _) = try exported()
    var completed = 0
    for round in 0..<Campaign.size(sample: 5, full: 200) {
      if round % 2 == 0 { try FileSystem().unlink(vault.export.path) }
      let wasThere = round % 2 != 0 && completed > 0
      let journal = try vault.path("journal-\(round)")
      let child = try ChildProcess(
        "export", on: vault, ["60", vault.export.path], journal: journal)
      try kill(child, journal: journal, within: 300_000)
      #expect(try vault.open().verify().isSound)
      #expect(try vault.open().movableItems() == items)
      guard try FileSystem().status(of: vault.export.path) != nil else {
        #expect(!wasThere)
        let acknowledged = try VaultJournal(journal).acknowledgementCount
        #expect(acknowledged == 0)
        completed = 0
        continue
      }
      completed += 1
      let other = try vault.otherMachine()
      #expect(try other.open().importItems(of: other).items(.added).count == 700)
      #expect(try other.open().movableItems() == items)
    }
    try vault.open().export(of: vault, overwriting: true)
    let other = try vault.otherMachine()
    try other.open().importItems(of: other)
    #expect(try other.open().movableItems() == items)
  }

  @Test(arguments: [true, false])
  func importOfAKilledProcessGoesOn(_ isOfNewVault: Bool) throws {
    let (items, bytes) = try exported()
    var partial = 0
    for round in 0..<Campaign.size(sample: 5, full: 100) {
      let other = TestVault()
      try FileSystem().replaceFile(at: other.path("moved.vault"), with: bytes)
      if !isOfNewVault {
        try other.open().add("own", account: "own")
        for number in 0..<20 { try other.open().add("other", account: "\(number)") }
      }
      let journal = try other.path("journal-\(round)")
      let child = try ChildProcess("import", on: other, [other.export.path], journal: journal)
      try kill(child, journal: journal, within: 600_000)

      let object = other.open()
      #expect(try object.verify().isSound)
      let texts = try object.texts()
      if texts.count > (isOfNewVault ? 0 : 21), texts.count < 700 { partial += 1 }
      for (account, text) in texts {
        let isOld = text == "other" && !isOfNewVault && Int(account) ?? 20 < 20
        #expect(text == "value \(account)" || text == account || isOld)
      }
      if !isOfNewVault { #expect(texts["own"] == "own") }
      #expect(try other.names().filter { $0.hasPrefix("moved") } == ["moved.vault"])

      let report = try object.importItems(of: other, conflicts: .replace)
      #expect(report.entries.count == 700)
      let moved = try other.open().movableItems()
      #expect(moved.subtracting(items).count == (isOfNewVault ? 0 : 1))
      #expect(items.isSubset(of: moved))
      #expect(try other.open().importItems(of: other).items(.identical).count == 700)
      #expect(try other.open().verify().isSound)
      try other.open().compact()
      #expect(try other.names().filter { $0.hasSuffix(".tmp") } == [])
    }
    // A campaign without an interrupted import would prove nothing.
    if Campaign.isFull { #expect(partial > 0) }
  }
}
