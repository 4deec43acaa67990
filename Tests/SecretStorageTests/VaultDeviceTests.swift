import FoundationEssentials
import StorageInternals
import Testing

@testable import SecretStorage

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// What may be the matter with a machine's device key and identity.
struct VaultDeviceTests {
  private let vault = TestVault()

  @Test func missingDeviceKeyIsAnotherDevice() throws {
    try vault.open().add("value", account: "a")
    try FileManager.default.removeItem(atPath: vault.statePath)
    let object = vault.open()
    #expect(try object.isLocked)
    expectOtherDevice(object)
    // No new device key was made, which would take the place of the one to restore.
    #expect(try FileSystem().status(of: vault.statePath + "/device.key") == nil)
  }

  @Test func otherDeviceKeyIsAnotherDevice() throws {
    try vault.open().add("value", account: "a")
    let key = vault.statePath + "/device.key"
    try TestVault.change(key, at: 7, to: ~TestVault.bytes(of: key)[7])
    expectOtherDevice(vault.open())
  }

  @Test func otherMachineIsAnotherDevice() throws {
    try vault.open().add("value", account: "a")
    let machine = try vault.path("machine-id")
    try FileSystem().replaceFile(at: machine, with: Array("another machine\n".utf8))
    expectOtherDevice(vault.open(machine: machine))
    expectOtherDevice(vault.open(machine: try vault.path("no machine-id")))
  }

  @Test func machineWithoutIdentityHasItsKeyFile() throws {
    let object = vault.open(machine: try vault.path("no machine-id"))
    try object.add("value", account: "a")
    #expect(try vault.open(machine: vault.path("no machine-id")).text("a") == "value")
  }

  private func expectOtherDevice(
    _ object: SecretVault, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for access in 0..<3 {
      do throws(SecretStoreError) {
        if access == 0 { _ = try object.items(matching: .all) }
        if access == 1 { try object.add("new", account: "new") }
        if access == 2 { try object.unlock() }
        Issue.record("Access \(access) succeeds.", sourceLocation: sourceLocation)
      } catch {
        #expect(
          error == .otherDevice("The vault"), "access \(access)", sourceLocation: sourceLocation)
      }
    }
  }

  @Test(arguments: [0, 31, 33, 100])
  func deviceKeyOfAnotherLengthIsDamaged(_ count: Int) throws {
    try vault.open().add("value", account: "a")
    let key = vault.statePath + "/device.key"
    try FileSystem().replaceFile(at: key, with: [UInt8](repeating: 1, count: count))
    vault.expectEach(vault.open()) { error in
      guard case .corrupted(let what) = error else { return false }
      return what.contains(key) && what.contains("not 32")
    }
  }

  @Test func deviceKeyOpenToOthersIsRefused() throws {
    try vault.open().add("value", account: "a")
    let key = vault.statePath + "/device.key"
    unsafe #expect(chmod(key, 0o644) == 0)
    vault.expectInsecure(key, saying: "open to other users")
  }
}
