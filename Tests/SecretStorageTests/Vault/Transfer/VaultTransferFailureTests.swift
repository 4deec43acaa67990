import CLibrary
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Failures of every system call, a read-only disk, and kills during an export or an import.
struct VaultTransferFailureTests {
  private static let codes: [Int32] =
    Campaign.isFull ? [ENOSPC, EIO, EACCES, EROFS, EMFILE, EINTR] : [ENOSPC]
  /// More than one batch of a transfer in a process.
  private static let count = 300

  private let vault = TestVault(batchSize: 3)

  /// Expects an import to complete an earlier one, and to keep the own items.
  private func expectCompletion(
    on other: TestVault, by object: SecretVault, of items: Set<MovedItem>, isNew: Bool,
    _ comment: Comment? = nil
  ) throws {
    try object.importItems(of: other, replacing: true)
    for reader in [object, other.open()] {
      let moved = try reader.movableItems()
      #expect(items.isSubset(of: moved), comment)
      let own = moved.subtracting(items).map(\.identity.account)
      #expect(own == (isNew ? [] : ["own"]), comment)
      #expect(try reader.verify().isSound, comment)
    }
  }

  @Test(arguments: codes) func failedExportLeavesNoIncompleteFile(_ code: Int32) throws {
    let items = try vault.exportMany(4)
    let count = try FaultAtCall.atEachCall(code: code) { fault in
      try FileSystem().unlink(vault.export.path)
      let object = vault.open(fileSystem: fault.fileSystem)
      let hasFailed = fault.causesError { try object.export(of: vault) }
      let place = fault.failed ?? "no call"
      let exists = try FileSystem().status(of: vault.export.path) != nil
      // If the directory's fsync fails, the file exists but may not survive a power failure.
      #expect(exists == !hasFailed || place.hasPrefix("fsync"), "\(place)")
      #expect(try vault.temporaryNames() == [] || place.hasPrefix("unlink"), "\(place)")
      if !exists { try object.export(of: vault) }
      try vault.expectImportable(items, "\(place)")
    }
    #expect(count > 8)
  }

  @Test(arguments: [true, false], codes)
  func failedImportIsResumed(_ isOfNewVault: Bool, _ code: Int32) throws {
    let items = try vault.exportMany(4)
    let count = try FaultAtCall.atEachCall(code: code) { fault in
      let other = try vault.target(isNew: isOfNewVault)
      let object = other.open(fileSystem: fault.fileSystem)
      let hasFailed = fault.causesError { try object.importItems(of: other, replacing: true) }
      let comment = Comment("\(fault.failed ?? "no call")")
      for reader in [object, other.open()] {
        #expect(try reader.verify().isSound, comment)
        #expect(try reader.text("own") == (isOfNewVault ? nil : "own"), comment)
        #expect(try hasFailed || items.isSubset(of: reader.movableItems()), comment)
      }
      try expectCompletion(on: other, by: object, of: items, isNew: isOfNewVault, comment)
    }
    #expect(count > 8)
  }

  @Test(.enabled(if: MountedDirectory.isPossible, "Only root can mount a file system."))
  func exportOnAReadOnlyDiskIsImported() throws {
    let object = vault.open()
    try object.fill()
    try object.export(of: vault)
    let mount = try MountedDirectory(vault.path("stick"), "size=256k")
    let file = URL(filePath: "\(mount.path)/moved.vault")
    try FileSystem().replaceFile(
      at: file.path, with: TestVault.bytes(of: vault.export.path), mode: 0o644)
    try mount.remount(readOnly: true)
    let other = TestVault().open()
    try other.importItems(from: file, passphrase: TestVault.passphrase)
    #expect(try other.movableItems() == object.movableItems())
    expectError("system \(EROFS)") { try object.export(of: vault, to: file, overwriting: true) }
    try mount.remount(readOnly: false)
  }

  // An export begins, reports 0, 200, 300 items, and ends: five lines.
  @Test func killedExportLeavesNoIncompleteFile() throws {
    let vault = TestVault()
    let items = try vault.exportMany(Self.count)
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
        #expect(try VaultJournal(journal).acknowledgmentCount == 0)
        try reader.export(of: vault)
      }
      try vault.expectImportable(items)
    }
    try vault.open().export(of: vault, overwriting: true)
    // What a process that was killed at the rename has left, a reader of the export removes.
    #expect(try vault.open(at: vault.export.path).isLocked)
    #expect(try vault.temporaryNames() == [])
  }

  // An import begins, reports 0, 256, 300 items, and ends: five lines.
  @Test(arguments: [true, false]) func killedImportIsResumed(_ isOfNewVault: Bool) throws {
    let vault = TestVault()
    let items = try vault.exportMany(Self.count)
    let texts = SecretVault.many(Self.count)
    for line in ChildProcess.lines(isOfNewVault ? [1, 3] : [2, 4], campaign: 100, 7) {
      let other = try vault.target(isNew: isOfNewVault)
      let journal = try other.path("journal")
      let line = min(line, 5)
      try ChildProcess("import", on: other, [other.export.path], journal: journal)
        .kill(after: line, of: journal)
      let object = other.open()
      #expect(try object.verify().isSound)
      let found = try object.texts()
      #expect(line < 3 || found.count >= 256)
      for (account, text) in found {
        let isOld = text == "other" && !isOfNewVault
        #expect(isOld || text == texts[account] ?? account, "\(account)")
      }
      #expect(found["own"] == (isOfNewVault ? nil : "own"))
      #expect(try other.names().filter { $0.hasPrefix("moved") } == ["moved.vault"])
      try expectCompletion(on: other, by: object, of: items, isNew: isOfNewVault)
      #expect(try object.importItems(of: other).identities(.identical).count == Self.count)
      try object.compact()
      #expect(try other.temporaryNames() == [])
    }
  }
}

extension TestVault {
  fileprivate func exportMany(_ count: Int) throws -> Set<MovedItem> {
    let object = open()
    try object.addMany(count, isPortable: true)
    try object.export(of: self)
    return try object.movableItems()
  }

  /// Returns another machine's vault, with items that conflict with the export's unless it is new.
  fileprivate func target(isNew: Bool) throws -> TestVault {
    let other = try otherMachine()
    if isNew { return other }
    try other.open().add("own", account: "own")
    try other.open().add("other", account: "0", .always)
    try other.open().add("other", account: "1")
    return other
  }

  fileprivate func expectImportable(_ items: Set<MovedItem>, _ comment: Comment? = nil) throws {
    let other = try otherMachine()
    try other.open().importItems(of: other)
    #expect(try other.open().movableItems() == items, comment)
  }
}
