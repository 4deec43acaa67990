import CLibrary
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// A vault with a missing file.
struct VaultVanishingTests {
  private let vault = TestVault()

  private func expectMissing(_ object: SecretVault) throws {
    let expected = SecretStoreError.replaced(
      "\(vault.path) is missing, but this machine has recorded a vault at this path")
    vault.expectEach(object) { $0 == expected }
    let others: [() throws -> Void] = [
      { _ = try object.slots }, { _ = try object.hasPassphrase }, { _ = try object.isLocked },
      { _ = try object.isRotationPending }, { try object.unlock() }, { try object.rotateKeys() },
      { try object.unlock(with: .passphrase("passphrase 1")) },
      { _ = try object.salvageableItems() },
      { try object.setPassphrase("other", cost: .cheap) }, { _ = try object.repair() },
      { try object.addSlot(.keyFile(try vault.keyFile(2)), named: "file") },
      { try object.export(of: vault, overwriting: true) },
    ]
    for other in others { #expect(throws: expected) { try other() } }
    #expect(object.diagnose().problems.contains { $0.text.contains("is missing") })
    #expect(try FileSystem().status(of: vault.path) == nil)
  }

  /// Makes a vault that a key opens, with or without the device.
  private func make(_ kind: KeyKind, withDevice: Bool) throws {
    let object = try vault.openWithItem(asService: true)
    try object.addSlot(kind.key(1, in: vault), named: "key", cost: .cheap)
    if !withDevice { try object.removeSlot(1) }
  }

  @Test(arguments: KeyKind.allCases, [true, false])
  func missingVaultIsRefusedUntilItIsAccepted(_ kind: KeyKind, withDevice: Bool) throws {
    try make(kind, withDevice: withDevice)
    let (object, never) = (try vault.openAsService(), vault.open())
    _ = try object.slots
    let bytes = try vault.bytes
    try FileSystem().unlink(vault.path)
    for missing in [object, never, vault.open()] { try expectMissing(missing) }
    // The restored file is recognized as the missing vault.
    try vault.replace(by: bytes)
    for present in [object, never] { #expect(try present.slots.count == (withDevice ? 2 : 1)) }
    try FileSystem().unlink(vault.path)
    try expectMissing(object)
    try vault.open().acceptReplacement()
    for accepted in [object, never, vault.open()] {
      #expect(try accepted.items(matching: .all).isEmpty)
      #expect(accepted.diagnose().isHealthy)
    }
    try never.add("new", account: "new")
    #expect(try vault.open().texts() == ["new": "new"])
    #expect(try object.slots.map(\.kind) == [.device])
  }

  @Test func missingVaultIsRefusedByAnObjectThatReadIt() throws {
    try make(.passphrase, withDevice: false)
    let object = vault.open()
    #expect(try object.isLocked)
    try FileSystem().unlink(vault.path)
    try vault.forget()
    try expectMissing(object)
    try object.acceptReplacement()
    try object.add("new", account: "new")
    #expect(try vault.open().texts() == ["new": "new"])
  }

  /// The state file has no slots, or a part of them.
  @Test(arguments: [112, 127, 159]) func missingVaultOfUnknownSlotsIsRefused(_ count: Int) throws {
    try vault.open().add("value", account: "a")
    try FileSystem().unlink(vault.path)
    try FileSystem().open(vault.stateFile(".state"), O_RDWR).truncate(to: count)
    try expectMissing(vault.open())
  }

  @Test func missingVaultOfTheDeviceAloneIsReplaced() async {
    await #expect(processExitsWith: .success) {
      recordingErrors {
        let heard = hearFailures()
        let vault = TestVault()
        let object = try vault.openWithItem()
        let told = """
          A store needs attention, although an access to it succeeded. \(vault.path) is missing, \
          but this machine has recorded a vault at this path. If that was on purpose, accept it \
          with acceptReplacement() or `locket secrets accept-replacement`; otherwise restore the \
          original.
          """
        for number in 1...2 {
          try FileSystem().unlink(vault.path)
          for _ in 0..<3 { #expect(try object.texts().isEmpty) }
          #expect(object.diagnose().problems.map(\.subject) == ["Content"])
          try object.add("new", account: "b")
          #expect(try vault.open().texts() == ["b": "new"])
          #expect(object.diagnose().isHealthy)
          object.finishBackgroundWork()
          #expect(heard.all.map(\.description) == [String](repeating: told, count: number))
        }
        try FileSystem().unlink(vault.path)
        try object.acceptReplacement()
        #expect(object.diagnose().isHealthy)
      }
    }
  }

  /// A vault is noted before the rename, which may fail or be interrupted.
  @Test func vaultThatWasNotMadeIsNotMissing() throws {
    let object = vault.open(
      fileSystem: FileSystem { $0 == .rename && $1.contains("secrets.vault") ? EIO : nil })
    #expect(throws: SecretStoreError.self) { try object.setPassphrase("x", cost: .cheap) }
    #expect(throws: Never.self) { try vault.stateFile(".place") }
    for absent in [object, vault.open()] {
      #expect(try absent.texts() == [:])
      #expect(absent.diagnose().isHealthy)
    }
    try vault.open().add("value", account: "a")
    #expect(try vault.open().texts() == ["a": "value"])
  }

  /// A vault created between the check for its file and the read of the state.
  @Test func vaultThatIsBeingMadeIsNotMissing() throws {
    try FileSystem().makeDirectories(vault.statePath)
    let reader = vault.open(
      fileSystem: .before(.opendir, on: vault.statePath) { [vault] in
        try vault.open().add("value", account: "a")
        try vault.open().addSlot(.keyFile(try vault.keyFile(1)), named: "file")
      })
    #expect(try reader.texts() == ["a": "value"])
  }

  @Test func acceptedAbsenceRefusesAnotherVault() throws {
    try make(.keyFile, withDevice: true)
    let bytes = try vault.bytes
    try FileSystem().unlink(vault.path)
    try vault.open().acceptReplacement()
    try vault.replace(by: bytes)
    vault.expectEach(vault.open(), "replaced", saying: vault.path)
    try vault.open().acceptReplacement()
    #expect(try vault.open().texts() == ["a": "value"])
  }
}
