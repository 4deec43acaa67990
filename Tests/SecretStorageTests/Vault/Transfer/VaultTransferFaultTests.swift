import CLibrary
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Injected failures of every system call of an export and an import, and full or read-only disks.
struct VaultTransferFaultTests {
  private static let codes: [Int32] =
    Campaign.isFull ? [ENOSPC, EIO, EACCES, EROFS, EMFILE, EINTR] : [EIO, EINTR]

  private let vault = TestVault()

  private func error(of body: () throws -> Void) -> SecretStoreError? {
    do {
      try body()
      return nil
    } catch {
      return error as? SecretStoreError
    }
  }

  private func expect(
    _ error: SecretStoreError?, isOf fault: FaultAtCall, _ code: Int32, _ place: String
  ) {
    guard let error else { return }
    guard case .system(let call, let path, code) = error else {
      Issue.record("\(error) is not of \(place)")
      return
    }
    #expect("\(call) \(path)" == place)
    #expect(code != EINTR)
  }

  @Test(arguments: codes)
  func failedCallOfAnExportLeavesNoneOrAWholeOne(_ code: Int32) throws {
    try vault.open().fill()
    let items = try vault.open().movableItems()
    var index = Campaign.start
    while true {
      let fault = FaultAtCall(index, code: code)
      let object = vault.open(fileSystem: fault.fileSystem)
      let error = error { try object.export(of: vault) }
      fault.disarm()
      guard let place = fault.failed else {
        #expect(error == nil)
        #expect(index > 8)
        return
      }
      expect(error, isOf: fault, code, place)
      let isThere = try FileSystem().status(of: vault.export.path) != nil
      // If the directory's fsync fails, the file exists but may not survive a power failure.
      if error != nil { #expect(!isThere || place.hasPrefix("fsync")) } else { #expect(isThere) }
      if isThere {
        let other = try vault.otherMachine()
        try other.open().importItems(of: other)
        #expect(try other.open().movableItems() == items)
      }
      let leftovers = try vault.names().filter { $0.hasSuffix(".tmp") }
      #expect(leftovers.isEmpty || place.hasPrefix("unlink"))
      try object.export(of: vault, overwriting: true)
      try FileSystem().unlink(vault.export.path)
      index += Campaign.step
    }
  }

  @Test(arguments: codes, [true, false])
  func failedCallOfAnImportLosesNothing(_ code: Int32, _ isOfNewVault: Bool) throws {
    try vault.open().fill()
    try vault.open().export(of: vault)
    let items = try vault.open().movableItems()
    var index = Campaign.start
    while true {
      let other = try vault.otherMachine()
      if !isOfNewVault {
        try other.open().add("own", account: "own")
        try other.open().add("other", account: "always 0", .always)
        try other.open().add("other", account: "always 1")
      }
      let own = isOfNewVault ? 0 : 1
      let fault = FaultAtCall(index, code: code)
      let object = other.open(fileSystem: fault.fileSystem)
      let error = error {
        try object.importItems(of: other, conflicts: .replace)
      }
      fault.disarm()
      guard let place = fault.failed else {
        #expect(error == nil)
        #expect(index > 8)
        return
      }
      expect(error, isOf: fault, code, place)
      for reader in [object, other.open()] {
        #expect(try reader.verify().isSound, "\(place)")
        let moved = try reader.movableItems()
        #expect(own == 0 || moved.contains { $0.identity.account == "own" })
        if error == nil { #expect(items.isSubset(of: moved)) }
      }
      try object.importItems(of: other, conflicts: .replace)
      for reader in [object, other.open()] {
        let moved = try reader.movableItems()
        #expect(items.isSubset(of: moved) && moved.count == items.count + own, "\(place)")
        #expect(try reader.verify().isSound, "\(place)")
      }
      index += Campaign.step
    }
  }

  @Test(.enabled(if: MountedDirectory.isPossible, "Only root can mount a small file system."))
  func fullDiskTakesNoExportAndPartOfAnImport() throws {
    let object = vault.open()
    for number in 0..<40 {
      try object.add(String(repeating: "x", count: 10_000), account: "\(number)")
    }
    try object.export(of: vault)
    let mount = try MountedDirectory(vault.path("full"), "size=256k")
    let url = URL(filePath: "\(mount.path)/moved.vault")
    expectError("system \(ENOSPC)") {
      try object.export(to: url, passphrase: TestVault.passphrase, cost: .cheap)
    }
    #expect(try FileSystem().entries(of: mount.path) == [])
    let target = SecretVault(
      fileURL: URL(filePath: "\(mount.path)/secrets.vault"),
      stateDirectory: URL(filePath: "\(mount.path)/state"))
    try target.add("own", account: "own")
    expectError("system \(ENOSPC)") {
      try target.importItems(of: vault)
    }
    #expect(try target.texts() == ["own": "own"])
    #expect(try target.verify().isSound)
    try target.add("afterwards", account: "afterwards")
  }

  @Test(.enabled(if: MountedDirectory.isPossible, "Only root can mount a file system."))
  func exportIsReadWhereNothingCanBeWritten() throws {
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
