import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Problems with a machine's device key and identity.
struct VaultDeviceTests {
  private let vault = TestVault()
  private var key: String { vault.statePath + "/device.key" }

  /// Returns the path of a file with the identity of a machine.
  private func machine(_ identity: String) throws -> String {
    let path = try vault.path("machine-id of \(identity)")
    try FileSystem().replaceFile(at: path, with: Array("\(identity)\n".utf8))
    return path
  }

  private func expectOtherDevice(
    _ object: SecretVault, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for access in [
      { _ = try object.items(matching: .all) }, { try object.add("new", account: "new") },
      { try object.unlock() },
    ] as [() throws -> Void] {
      #expect(
        throws: SecretStoreError.otherDevice("The vault"), sourceLocation: sourceLocation,
        performing: access)
    }
  }

  @Test func otherOrMissingDeviceKeyIsAnotherDevice() throws {
    try vault.open().add("value", account: "a")
    try TestVault.change(key, at: 7, to: ~TestVault.bytes(of: key)[7])
    expectOtherDevice(vault.open())
    try FileManager.default.removeItem(atPath: vault.statePath)
    let object = vault.open()
    #expect(try object.isLocked)
    expectOtherDevice(object)
    // No device key was made in place of the one to restore.
    #expect(try FileSystem().status(of: key) == nil)
  }

  @Test func changeWithoutVaultCreatesNoDeviceKey() throws {
    let item = try vault.open().add("value", account: "a")
    try FileSystem().unlink(vault.path)
    try FileManager.default.removeItem(atPath: vault.statePath)
    let object = vault.open()
    expectError(.conflict) { try object.change(item, to: "") }
    try object.remove(item.id, expecting: item.revision)
    for path in [key, vault.path] { #expect(try FileSystem().status(of: path) == nil) }
  }

  @Test func otherMachineIsAnotherDevice() throws {
    try vault.open().add("value", account: "a")
    expectOtherDevice(vault.open(machine: try machine("another")))
    expectOtherDevice(vault.open(machine: try vault.path("no machine-id")))
  }

  @Test func machineWithoutIdentityHasItsKeyFile() throws {
    let path = try vault.path("no machine-id")
    try vault.open(machine: path).add("value", account: "a")
    #expect(try vault.open(machine: path).text("a") == "value")
  }

  /// The first identity is the content of machine-id before the end of the first boot.
  @Test(
    arguments: [
      ("uninitialized\n", true), ("uninitialized\n", false), ("uninitialized", true),
      ("", false), (nil, true),
    ] as [(String?, Bool)])
  func laterMachineIdentityReplacesAMissingOne(_ early: String?, hasPassphrase: Bool) throws {
    let machine = try vault.path("machine-id")
    if let early { try FileSystem().replaceFile(at: machine, with: Array(early.utf8)) }
    let first = vault.open(machine: machine)
    if hasPassphrase { try first.setPassphrase(TestVault.passphrase, cost: .minimum) }
    try first.addEach("early")
    let texts = try first.texts()
    #expect(texts.count == (hasPassphrase ? 7 : 6))
    func open(_ machine: String) throws -> SecretVault {
      let object = vault.open(machine: machine)
      if hasPassphrase { try object.unlock(with: .tests) }
      return object
    }
    try FileSystem().replaceFile(at: machine, with: Array("its identity\n".utf8))
    let other = try self.machine("another")
    let object = try open(machine)
    #expect(try object.texts() == texts)
    if !hasPassphrase { try object.unlock(with: .device) }
    // Records are sealed again at the next write only.
    #expect(try open(other).texts() == texts)
    try object.add("late", account: "late", .whenUnlockedThisDeviceOnly)
    try wait { object.contents.withLock { !$0.keys.isDeviceOutdated } }
    for reader in [object, try open(machine)] {
      try reader.expectSound(texts.merging(["late": "late"]) { $1 })
    }
    // Another machine with the same device key now opens nothing bound to this one.
    if hasPassphrase {
      let reader = try open(other)
      let error = SecretStoreError.otherDevice("The item")
      expectError(error) { try reader.text("late") }
      #expect("\(error)".contains("Open it on the machine that wrote it"))
      #expect(try reader.text("\(Accessibility.whenUnlocked)") == "early")
    } else {
      expectOtherDevice(vault.open(machine: other))
    }
  }

  @Test func rotationUsesLaterMachineIdentity() throws {
    let path = try machine("uninitialized")
    try vault.open(machine: path).add("early", account: "a", .alwaysThisDeviceOnly)
    try FileSystem().replaceFile(at: path, with: Array("its identity\n".utf8))
    let object = vault.open(machine: path)
    try object.rotateKeys(keeping: [.device])
    for reader in [object, vault.open(machine: path)] {
      #expect(try reader.text("a") == "early" && !reader.isLocked)
    }
    expectOtherDevice(vault.open(machine: try vault.path("no machine-id")))
  }

  @Test func deviceKeyOfAnotherLengthIsAnError() throws {
    try vault.open().add("value", account: "a")
    for count in [0, 31, 33, 100] {
      try FileSystem().replaceFile(at: key, with: [UInt8](repeating: 1, count: count))
      vault.expectEach(vault.open(), "corrupted", saying: key, "bytes instead of 32")
    }
  }

  @Test func deviceKeyReadableByOthersIsAnError() throws {
    try vault.open().add("value", account: "a")
    unsafe #expect(chmod(key, 0o644) == 0)
    vault.expectInsecure(key, saying: "accessible to other users")
  }
}
