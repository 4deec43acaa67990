import CLibrary
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Injected failures of every system call of an export and an import, and a read-only disk.
struct VaultTransferFaultTests {
  private static let codes: [Int32] =
    Campaign.isFull ? [ENOSPC, EIO, EACCES, EROFS, EMFILE, EINTR] : [ENOSPC]

  private let vault = TestVault(batchSize: 3)

  private func exported() throws -> Set<MovedItem> {
    let object = vault.open()
    try object.addMany(4, isPortable: true)
    try object.export(of: vault)
    return try object.movableItems()
  }

  @Test(arguments: codes)
  func failedExportLeavesNoIncompleteFile(_ code: Int32) throws {
    let items = try exported()
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
      let other = try vault.otherMachine()
      try other.open().importItems(of: other)
      #expect(try other.open().movableItems() == items, "\(place)")
    }
    #expect(count > 8)
  }

  @Test(arguments: [true, false], codes)
  func failedImportIsResumed(_ isOfNewVault: Bool, _ code: Int32) throws {
    let items = try exported()
    let own = isOfNewVault ? [] : ["own"]
    let count = try FaultAtCall.atEachCall(code: code) { fault in
      let other = try vault.otherMachine()
      let maker = other.open()
      for account in own { try maker.add("own", account: account) }
      if !isOfNewVault {
        try maker.add("other", account: "0", .always)
        try maker.add("other", account: "1")
      }
      let object = other.open(fileSystem: fault.fileSystem)
      let hasFailed = fault.causesError {
        try object.importItems(of: other, conflicts: .replace)
      }
      let comment = Comment("\(fault.failed ?? "no call")")
      for reader in [object, other.open()] {
        #expect(try reader.verify().isSound, comment)
        let moved = try reader.movableItems()
        for account in own {
          #expect(moved.contains { $0.identity.account == account }, comment)
        }
        #expect(hasFailed || items.isSubset(of: moved), comment)
      }
      try object.importItems(of: other, conflicts: .replace)
      for reader in [object, other.open()] {
        let moved = try reader.movableItems()
        #expect(items.isSubset(of: moved) && moved.count == items.count + own.count, comment)
        #expect(try reader.verify().isSound, comment)
      }
    }
    #expect(count > 8)
  }

  @Test(.enabled(if: MountedDirectory.isPossible, "Only root can mount a file system."))
  func exportOnAReadOnlyDiskIsImported() throws {
    let object = vault.open()
    try object.fill()
    try object.export(of: vault)
    let mount = try MountedDirectory(vault.path("stick"), "size=256k")
    let path = "\(mount.path)/moved.vault"
    try FileSystem().replaceFile(
      at: path, with: TestVault.bytes(of: vault.export.path), mode: 0o644)
    try mount.remount(readOnly: true)
    let other = TestVault()
    try other.open().importItems(from: URL(filePath: path), passphrase: TestVault.passphrase)
    #expect(try other.open().movableItems() == object.movableItems())
    expectError("system \(EROFS)") {
      try object.export(
        to: URL(filePath: path), passphrase: TestVault.passphrase, cost: .cheap, overwriting: true)
    }
    try mount.remount(readOnly: false)
  }
}
