import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Processes killed in the middle of an export or an import.
struct VaultTransferKillTests {
  /// More than one batch of a transfer in a process.
  private static let count = 300
  private static let texts = SecretVault.many(count)

  private let vault = TestVault()

  private func exported() throws -> Set<MovedItem> {
    let object = vault.open()
    try object.addMany(Self.count, isPortable: true)
    try object.export(of: vault)
    return try object.movableItems()
  }

  // An export begins, reports 0, 200, 300 items, and ends: five lines.
  @Test func killedExportLeavesNoIncompleteFile() throws {
    let items = try exported()
    for (round, line) in ChildProcess.lines([1, 4, 8], campaign: 200, 6).enumerated() {
      let isFirst = round % 2 == 0
      if isFirst { try FileSystem().unlink(vault.export.path) }
      let journal = try vault.path("journal-\(round)")
      try ChildProcess("export", on: vault, ["-", vault.export.path], journal: journal)
        .kill(after: line, of: journal)
      let reader = vault.open()
      #expect(try reader.verify().isSound)
      #expect(try reader.movableItems() == items)
      if try FileSystem().status(of: vault.export.path) == nil {
        #expect(isFirst)
        #expect(try VaultJournal(journal).acknowledgementCount == 0)
        try reader.export(of: vault)
      }
      let other = try vault.otherMachine()
      try other.open().importItems(of: other)
      #expect(try other.open().movableItems() == items)
    }
    try vault.open().export(of: vault, overwriting: true)
    #expect(try vault.temporaryNames() == [])
  }

  // An import begins, reports 0, 256, 300 items, and ends: five lines.
  @Test(arguments: [true, false])
  func killedImportIsResumed(_ isOfNewVault: Bool) throws {
    let items = try exported()
    for line in ChildProcess.lines(isOfNewVault ? [1, 3] : [2, 4], campaign: 100, 7) {
      let other = try vault.otherMachine()
      if !isOfNewVault {
        try other.open().add("own", account: "own")
        for number in 0..<5 { try other.open().add("other", account: "\(number)") }
      }
      let journal = try other.path("journal")
      let line = min(line, 5)
      try ChildProcess("import", on: other, [other.export.path], journal: journal)
        .kill(after: line, of: journal)
      let object = other.open()
      #expect(try object.verify().isSound)
      let texts = try object.texts()
      #expect(line < 3 || texts.count >= 256)
      for (account, text) in texts {
        let isOld = text == "other" && !isOfNewVault
        #expect(isOld || text == Self.texts[account] ?? account, "\(account)")
      }
      if !isOfNewVault { #expect(texts["own"] == "own") }
      #expect(try other.names().filter { $0.hasPrefix("moved") } == ["moved.vault"])

      try object.importItems(of: other, conflicts: .replace)
      let reader = other.open()
      let moved = try reader.movableItems()
      #expect(moved.subtracting(items).count == (isOfNewVault ? 0 : 1))
      #expect(items.isSubset(of: moved))
      #expect(try reader.importItems(of: other).items(.identical).count == Self.count)
      #expect(try reader.verify().isSound)
      try reader.compact()
      #expect(try other.temporaryNames() == [])
    }
  }
}
