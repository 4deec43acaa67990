import CLibrary
import Concurrency
import Dispatch
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// A vault with a missing file.
struct VaultVanishingTests {
  private let vault = TestVault()
  private static let passphrase = UnlockKey.passphrase(Secret("passphrase 1".utf8))

  private func isVanishing(_ error: SecretStoreError) -> Bool {
    guard case .replaced(let what) = error else { return false }
    return what == "\(vault.path) is missing, but this machine has recorded a vault at this path"
  }

  private func expectMissed(_ object: SecretVault) throws {
    vault.expectEach(object, isVanishing)
    let others: [() throws -> Void] = [
      { _ = try object.slots }, { _ = try object.hasPassphrase }, { _ = try object.isLocked },
      { _ = try object.isRotationPending }, { try object.unlock() }, { try object.rotateKeys() },
      { try object.unlock(with: Self.passphrase) }, { _ = try object.salvageableItems() },
      { try object.setPassphrase(Secret("other".utf8), cost: .cheap) }, { _ = try object.repair() },
      { try object.addSlot(.keyFile(try vault.keyFile(2)), named: "file") },
      { try object.export(of: vault, overwriting: true) },
    ]
    for other in others { #expect(try isVanishing(failure(other))) }
    #expect(object.diagnose().problems.contains { $0.text.contains("is missing") })
    #expect(try FileSystem().status(of: vault.path) == nil)
  }

  /// Makes a vault that a key opens, with or without the device.
  private func make(_ kind: KeyKind, withDevice: Bool) throws {
    let object = try vault.openAsService()
    try object.add("value", account: "a")
    try object.addSlot(kind.key(1, in: vault), named: "key", cost: .cheap)
    if !withDevice { try object.removeSlot(1) }
  }

  @Test(arguments: KeyKind.allCases, [true, false])
  func vaultThatMoreThanTheDeviceOpenedIsMissedUntilThatIsAccepted(
    _ kind: KeyKind, _ withDevice: Bool
  ) throws {
    try make(kind, withDevice: withDevice)
    let (object, never) = (try vault.openAsService(), vault.open())
    _ = try object.slots
    let bytes = try vault.bytes
    try FileSystem().unlink(vault.path)
    for missing in [object, never, vault.open()] { try expectMissed(missing) }
    // The restored file is recognized as the missing vault.
    try vault.replace(by: bytes)
    for present in [object, never] { #expect(try present.slots.count == (withDevice ? 2 : 1)) }

    try FileSystem().unlink(vault.path)
    try expectMissed(object)
    try vault.open().acceptReplacement()
    for accepted in [object, never, vault.open()] {
      #expect(try accepted.items(matching: .all).isEmpty)
      #expect(accepted.diagnose().isHealthy)
    }
    try never.add("new", account: "new")
    #expect(try vault.open().texts() == ["new": "new"])
    #expect(try object.slots.map(\.kind) == [.device])
  }

  @Test func objectMissesTheVaultThatItHasReadAlsoWithoutTheState() throws {
    try make(.passphrase, withDevice: false)
    let object = vault.open()
    #expect(try object.isLocked)
    try FileSystem().unlink(vault.path)
    try vault.forget()
    try expectMissed(object)
    try object.acceptReplacement()
    try object.add("new", account: "new")
    #expect(try vault.open().texts() == ["new": "new"])
  }

  /// State files of earlier versions, which did not record the slots, included.
  @Test(arguments: [80, 127, 128, 144, 159])
  func vaultWhoseSlotsAreNotKnownIsMissed(_ count: Int) throws {
    try vault.open().add("value", account: "a")
    try FileSystem().unlink(vault.path)
    let state = try vault.rememberedState()
    try vault.open().acceptReplacement()
    try vault.open().add("value", account: "a")
    try FileSystem().unlink(vault.path)
    for name in try vault.rememberedState().keys where state[name] == nil {
      let file = try FileSystem().open("\(vault.statePath)/\(name)", O_RDWR)
      try file.truncate(to: count)
    }
    try expectMissed(vault.open())
  }

  @Test func newVaultBeginsWhereTheDeviceAloneOpenedTheOldOneAndThatIsTold() async {
    await #expect(processExitsWith: .success) {
      let heard = Lock([String]())
      let news = DispatchSemaphore(value: 0)
      ExpectedFailures.begin()
      SecretStores.onFailure = { failure in
        heard.withLock { $0.append(failure.description) }
        news.signal()
      }
      let vault = TestVault()
      let object = vault.open()
      try object.add("value", account: "a")
      let told = """
        A store needs attention, although an access to it succeeded. \(vault.path) is missing, but \
        this machine has recorded a vault at this path. If that was on purpose, accept it; \
        otherwise restore the original.
        """
      for number in 1...2 {
        try FileSystem().unlink(vault.path)
        for _ in 0..<3 { #expect(try object.texts().isEmpty) }
        #expect(news.wait(timeout: .now() + .seconds(900)) == .success)
        #expect(object.diagnose().problems.map(\.subject) == ["Content"])
        try object.add("new", account: "b")
        #expect(try vault.open().texts() == ["b": "new"])
        #expect(object.diagnose().isHealthy)
        #expect(heard.withLock { $0 } == [String](repeating: told, count: number))
      }
      try FileSystem().unlink(vault.path)
      try object.acceptReplacement()
      #expect(object.diagnose().isHealthy)
    }
  }

  /// A vault is noted before the rename, which may fail or be interrupted.
  @Test func vaultThatWasNeverMadeIsNotMissed() throws {
    let object = vault.open(
      fileSystem: FileSystem { call, path in
        call == .rename && path.contains("secrets.vault") ? EIO : nil
      })
    #expect(throws: SecretStoreError.self) {
      try object.setPassphrase(Secret("passphrase".utf8), cost: .cheap)
    }
    #expect(try FileSystem().entries(of: vault.statePath).contains { $0.hasSuffix(".place") })
    for absent in [object, vault.open()] {
      #expect(try absent.texts() == [:])
      #expect(absent.diagnose().isHealthy)
    }
    try vault.open().add("value", account: "a")
    #expect(try vault.open().texts() == ["a": "value"])
  }

  /// A vault created between the check for its file and the read of the state.
  @Test func vaultThatIsBeingMadeIsNotMissed() throws {
    let isMade = Lock(false)
    try FileSystem().makeDirectories(vault.statePath)
    let reader = vault.open(
      fileSystem: FileSystem { [vault] call, path in
        guard call == .opendir, path == vault.statePath, !isMade.withLock({ $0 }) else {
          return nil
        }
        isMade.withLock { $0 = true }
        do {
          try vault.open().add("value", account: "a")
          try vault.open().addSlot(.keyFile(try vault.keyFile(1)), named: "file")
        } catch {
          Issue.record(error)
        }
        return nil
      })
    #expect(try reader.texts() == ["a": "value"])
    #expect(isMade.withLock { $0 })
  }

  @Test func acceptedAbsenceIsNoVaultThatAnyOtherMayTakeThePlaceOf() throws {
    try make(.keyFile, withDevice: true)
    let bytes = try vault.bytes
    try FileSystem().unlink(vault.path)
    try vault.open().acceptReplacement()
    try vault.replace(by: bytes)
    vault.expectEach(vault.open()) { if case .replaced = $0 { true } else { false } }
    try vault.open().acceptReplacement()
    #expect(try vault.open().texts() == ["a": "value"])
  }
}
