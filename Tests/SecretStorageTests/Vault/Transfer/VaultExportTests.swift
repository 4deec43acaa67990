import CipherSupport
import CLibrary
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

struct VaultExportTests {
  private let vault = TestVault(batchSize: 20)

  /// Returns the export on the machine of a vault, whose directory the cipher keeps.
  private func locked(on machine: TestVault) -> SecretVault {
    SecretVault(
      fileURL: machine.export, stateDirectory: machine.state,
      cipher: HookedCipher { _ = machine })
  }

  private func opened(_ other: TestVault) throws -> SecretVault {
    let object = locked(on: other)
    try object.unlock(with: .passphrase(TestVault.passphrase))
    return object
  }

  @Test func exportHasAllPortableItems() throws {
    let object = try vault.protected(by: "own")
    try object.fill(includingPasscode: true)
    let before = try vault.names()
    let report = try object.export(of: vault)
    #expect(try Set(vault.names()) == Set(before + ["moved.vault"]))
    #expect(try FileSystem().status(of: vault.export.path)?.permissions == 0o600)

    let export = try opened(vault.otherMachine())
    #expect(try export.verify().isSound)
    #expect(try export.movableItems() == object.movableItems())
    #expect(try export.items(matching: .all).count == 13)

    let all = try object.items(matching: .all)
    func isBound(_ item: SecretItem) -> Bool {
      "\(item.attributes.accessControl.accessibility)".hasSuffix("ThisDeviceOnly")
    }
    #expect(report.exported == all.filter { !isBound($0) })
    #expect(report.omitted.map(\.item) == all.filter(isBound))
    #expect(report.omitted.allSatisfy { $0.reason == "It is bound to this device." })
  }

  @Test func exportIsOpenedOnlyByItsPassphrase() throws {
    // The same on the machine that wrote it.
    for machine in [try vault.exported { try $0.fill() }, vault] {
      let locked = locked(on: machine)
      #expect(try locked.isLocked)
      expectLocked { try locked.items(matching: .all) }
      #expect(throws: SecretStoreError.wrongPassphrase) {
        try locked.unlock(with: .passphrase("wrong"))
      }
    }
    for frame in TestVault.frames(of: try TestVault.bytes(of: vault.export.path)).prefix(2) {
      let table = try KeyTableRecord(frame.dropFirst(Frame.overhead), TestCipher()).table
      #expect(!table.hasDevice && table.slots.count == 1)
      #expect(table.keys.count == 5)
      #expect(table.keys.allSatisfy { $0.copies.map(\.wrapping) == [.user] })
    }
  }

  @Test func exportIsUsableAsAVault() throws {
    let other = try vault.exported { try $0.fill() }
    let export = try opened(other)
    try export.change("whenUnlocked 0", to: "changed")
    try export.remove("always 1")
    try export.add("new", account: "new")
    try export.compact()
    try export.setPassphrase(TestVault.passphrase, cost: .cheap)
    let again = try opened(other)
    #expect(try again.verify().isSound)
    #expect(try again.items(matching: .all).count == 13)
    #expect(try again.text("whenUnlocked 0") == "changed")
    let reason =
      "whenUnlockedThisDeviceOnly, because the vault was an export and has no device keys"
    #expect(throws: SecretStoreError.unsupported(reason)) {
      try export.add("bound", account: "bound", .whenUnlockedThisDeviceOnly)
    }
    let report = try vault.open().importItems(of: other, replacing: true)
    #expect(report.identities(.added).count == 1)
    #expect(report.identities(.conflict).count == 1)
    #expect(try vault.open().text("whenUnlocked 0") == "changed")
  }

  /// No state file can reveal the missing records.
  @Test(arguments: [1, 2])
  func exportWithoutItsEndIsDamaged(_ missing: Int) throws {
    let other = try vault.exported { try $0.fill() }
    let frames = TestVault.frames(of: try TestVault.bytes(of: other.export.path))
    try FileSystem().replaceFile(
      at: other.export.path, with: TestVault.file(of: frames.dropLast(missing)))
    let export = try opened(other)
    #expect(try !export.verify().isSound)
    for account in ["whenUnlocked 0", "always 1", "none"] {
      expectError("corrupted") { _ = try export.text(account) }
    }
    expectError("corrupted") { try export.add("new", account: "new") }
    #expect(try export.repair().count == 1)
    try export.add("new", account: "new")
    #expect(try opened(other).verify().isSound)
    #expect(try opened(other).items(matching: .all).count == (missing == 1 ? 11 : 1))
  }

  @Test(arguments: [true, false])
  func vaultWithoutItemsIsExported(_ exists: Bool) throws {
    _ = try vault.path("")
    let object = exists ? try vault.protected() : vault.open()
    #expect(try object.export(of: vault) == ExportReport())
    #expect(try (FileSystem().status(of: vault.path) != nil) == exists)
    #expect(try vault.otherMachine().open().importItems(of: vault) == ImportReport())
  }

  @Test func existingFileIsReplacedOnlyOnRequest() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    let target = try vault.path("target")
    try TestVault.append([1, 2, 3], to: target)
    try TestVault.append([4], to: vault.export.path)
    expectError("invalid") { try object.export(of: vault) }
    #expect(try TestVault.bytes(of: vault.export.path) == [4])
    try object.export(of: vault, overwriting: true)
    #expect(try vault.otherMachine().open().importItems(of: vault).identities(.added).count == 1)
    // A symbolic link is replaced itself; its target stays.
    try FileSystem().unlink(vault.export.path)
    try #require(unsafe symlink(target, vault.export.path) == 0)
    expectError("invalid") { try object.export(of: vault) }
    try object.export(of: vault, overwriting: true)
    #expect(try TestVault.bytes(of: target) == [1, 2, 3])
    #expect(try FileSystem().status(of: vault.export.path)?.isRegularFile == true)
  }

  @Test func exportDoesNotReplaceItsVault() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    let bytes = try vault.bytes
    try #require(unsafe symlink(vault.path, vault.path("symbolic")) == 0)
    try #require(unsafe link(vault.path, vault.path("hard")) == 0)
    for name in [
      "secrets.vault", "../\(vault.directory.lastPathComponent)/secrets.vault", "symbolic", "hard",
    ] {
      expectError("invalid") {
        try object.export(
          to: vault.directory.appending(path: name), passphrase: TestVault.passphrase, cost: .cheap,
          overwriting: true)
      }
    }
    #expect(try vault.bytes == bytes)
  }

  @Test func cancelledExportWritesNothing() throws {
    let object = vault.open()
    try object.addMany(30, isPortable: true)
    var heard: [MaintenanceProgress] = []
    try object.export(of: vault, overwriting: true) {
      heard.append($0)
      return .proceed
    }
    #expect(heard == [0, 20, 30].map { MaintenanceProgress(completed: $0, total: 30) })
    try FileSystem().unlink(vault.export.path)
    for place in heard {
      expectError("cancelled") {
        try object.export(of: vault) { $0 == place ? .cancel : .proceed }
      }
      expectError("locked") {
        try object.export(of: vault) {
          if $0 == place { object.lock() }
          return .proceed
        }
      }
      try object.unlock()
    }
    #expect(
      try vault.names()
        == ["secrets.vault", "secrets.vault.lock", "secrets.vault.reserve", "state"])
  }

  @Test func forgedSecretIsNotExported() throws {
    try vault.open().add("value", account: "a")
    var frames = TestVault.frames(of: try vault.bytes)
    var record = Array(frames[2].dropFirst(Frame.overhead))
    record[record.count - 1] ^= 1
    frames[2] = try TestVault.frame(of: record)
    try vault.replace(by: TestVault.file(of: frames))
    try vault.forget()
    expectError("corrupted") { try vault.open().export(of: vault) }
    #expect(try FileSystem().status(of: vault.export.path) == nil)
  }

  /// Another process creates the file between the last check and the rename.
  @Test func fileCreatedDuringAnExportIsNotReplaced() throws {
    try vault.open().add("value", account: "a")
    let path = vault.export.path
    let object = vault.open(
      fileSystem: FileSystem { call, name in
        if [.rename, .renameat2].contains(call), name.contains(".moved.vault.") {
          #expect(throws: Never.self) { try TestVault.append([7], to: path) }
        }
        return nil
      })
    let error = try failure { try object.export(of: vault) }
    #expect(error.invalid?.contains("\(path) already exists") == true)
    #expect(try TestVault.bytes(of: path) == [7])
    #expect(try vault.temporaryNames() == [])
  }
}
