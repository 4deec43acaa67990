import CLibrary
import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

/// The code of "Accessibility", and of "What the vault protects".
final class LockingSnippets: DirectoryTests {
  private var vault: SecretVault { directory.vault() }

  @Test func newItemHasItsAccessibility() throws {
    let secret = Secret("The Valley Wind".utf8)
    let identity = ItemIdentity.generic(service: "com.example.app")

    let attributes = ItemAttributes(accessControl: AccessControl(.whenUnlockedThisDeviceOnly))
    let item = try vault.add(secret, identity: identity, attributes: attributes)

    #expect(item.attributes.accessControl.accessibility == .whenUnlockedThisDeviceOnly)
  }

  @Test func acceptedRemovalOfAVaultIsNoError() throws {
    let vault = vault
    let file = directory.url.appending(path: "secrets.vault")
    try vault.setPassphrase(Secret("The Valley Wind".utf8), cost: .minimum)

    try FileManager.default.removeItem(at: file)
    try vault.acceptReplacement()

    #expect(try vault.items(matching: .all).isEmpty)
  }

  /// The signal belongs to the whole process.
  @Test func vaultLocksAutomatically() async {
    await #expect(processExitsWith: .success) {
      let vault = try LockingSnippets().vault
      vault.automaticLocking = AutomaticLocking(
        afterIdle: .seconds(300), whenSuspended: true, signals: [SIGUSR1])

      #expect(vault.automaticLocking.afterIdle == .seconds(300))
    }
  }
}
