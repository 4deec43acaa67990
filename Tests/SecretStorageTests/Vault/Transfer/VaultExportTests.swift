import CipherSupport
import CLibrary
import FoundationEssentials
import StorageInternals
import Testing

@testable import SecretStorage

struct VaultExportTests {
  private let vault = TestVault(batchSize: 20)

  private func opened(_ other: TestVault) throws -> SecretVault {
    let object = other.open(at: other.export.path)
    try object.unlock(with: .tests)
    return object
  }

  private func expectSound(_ object: SecretVault, count: Int) throws {
    #expect(try object.verify().isSound)
    #expect(try object.items(matching: .all).count == count)
  }

  @Test func exportHasAllPortableItems() throws {
    let object = try vault.protected(by: "own")
    try object.fill(includingPasscode: true)
    let before = try vault.names()
    let report = try object.export(of: vault)
    #expect(try Set(vault.names()) == Set(before + ["moved.vault"]))
    #expect(try FileSystem().status(of: vault.export.path)?.permissions == 0o600)
    let export = try opened(vault.otherMachine())
    try expectSound(export, count: 13)
    #expect(try export.movableItems() == object.movableItems())
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
      let locked = machine.open(at: machine.export.path)
      #expect(try locked.isLocked)
      expectLocked { try locked.items(matching: .all) }
      expectError(.wrongPassphrase) { try locked.unlock(with: .passphrase("wrong")) }
    }
    for frame in TestVault.frames(of: try TestVault.bytes(of: vault.export.path)).prefix(2) {
      let table = try KeyTableRecord(frame.dropFirst(Frame.overhead), TestCipher()).table
      #expect(!table.hasDevice && table.slots.count == 1 && table.keys.count == 5)
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
    try expectSound(again, count: 13)
    #expect(try again.text("whenUnlocked 0") == "changed")
    let bound = Accessibility.whenUnlockedThisDeviceOnly
    let reason = "\(bound), because the vault was an export and has no device keys"
    expectError(.unsupported(reason)) { try export.add("bound", account: "bound", bound) }
    let report = try vault.open().importItems(of: other, replacing: true)
    #expect(report.identities(.added).count == 1 && report.identities(.conflict).count == 1)
    #expect(try vault.open().text("whenUnlocked 0") == "changed")
  }

  /// No state file can reveal the missing records.
  @Test(arguments: [1, 2]) func exportWithoutItsEndIsDamaged(_ missing: Int) throws {
    let other = try vault.exported { try $0.fill() }
    let frames = TestVault.frames(of: try TestVault.bytes(of: other.export.path))
    let short = try TestVault.file(of: frames.dropLast(missing))
    try FileSystem().replaceFile(at: other.export.path, with: short)
    let export = try opened(other)
    #expect(try !export.verify().isSound)
    for account in ["whenUnlocked 0", "always 1", "none"] {
      expectError("corrupted") { try export.text(account) }
    }
    expectError("corrupted") { try export.add("new", account: "new") }
    #expect(try export.repair().count == 1)
    try export.add("new", account: "new")
    try expectSound(opened(other), count: missing == 1 ? 11 : 1)
  }

  @Test(arguments: [true, false]) func vaultWithoutItemsIsExported(_ exists: Bool) throws {
    _ = try vault.path("")
    #expect(try (exists ? vault.protected() : vault.open()).export(of: vault) == ExportReport())
    #expect(try (FileSystem().status(of: vault.path) != nil) == exists)
    #expect(try vault.otherMachine().open().importItems(of: vault) == ImportReport())
  }

  @Test func existingFileIsReplacedOnlyOnRequest() throws {
    let object = try vault.openWithItem()
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
    let object = try vault.openWithItem()
    let bytes = try vault.bytes
    try #require(unsafe symlink(vault.path, vault.path("symbolic")) == 0)
    try #require(unsafe link(vault.path, vault.path("hard")) == 0)
    let parent = "../\(vault.directory.lastPathComponent)"
    for name in ["secrets.vault", "\(parent)/secrets.vault", "symbolic", "hard"] {
      let file = vault.directory.appending(path: name)
      expectError("invalid") { try object.export(of: vault, to: file, overwriting: true) }
    }
    #expect(try vault.bytes == bytes)
  }

  @Test func cancelledExportWritesNothing() throws {
    let object = try vault.openWithMany(30, isPortable: true)
    let heard = try reports { try object.export(of: vault, overwriting: true, reporting: $0) }
    #expect(heard == [0, 20, 30].map { MaintenanceProgress(completed: $0, total: 30) })
    try FileSystem().unlink(vault.export.path)
    for place in heard {
      expectError("cancelled") { try object.export(of: vault) { $0 == place ? .cancel : .proceed } }
      expectError("locked") {
        try object.export(of: vault) {
          if $0 == place { object.lock() }
          return .proceed
        }
      }
      try object.unlock()
    }
    let names = ["secrets.vault", "secrets.vault.lock", "secrets.vault.reserve", "state"]
    #expect(try vault.names() == names)
  }

  @Test func forgedSecretIsNotExported() throws {
    try vault.open().add("value", account: "a")
    var frames = try vault.frames
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
    expectInvalid("\(path) already exists") { try object.export(of: vault) }
    #expect(try TestVault.bytes(of: path) == [7])
    #expect(try vault.temporaryNames() == [])
  }
}
