import SecretStorage
import TestSupport
import Testing

/// The code and the statements of the article "Rotating keys".
final class RotatingKeysSnippets: DirectoryTests {
  private let passphrase = "The Valley Wind"
  private let isCancelled = false

  /// The vault as a newly started process opens it.
  private var opened: SecretVault { directory.vault() }

  private func filled() throws -> SecretVault {
    let vault = opened
    try vault.setPassphrase(Secret(passphrase.utf8), cost: .minimum)
    for number in 0..<3 {
      _ = try vault.add(
        Secret([1]), identity: .generic(service: "\(number)"), attributes: ItemAttributes())
    }
    return vault
  }

  @Test func rotating() throws {
    let vault = try filled()
    try vault.rotateKeys(keeping: [.passphrase(Secret(passphrase.utf8))]) { progress in
      print("\(progress.completed) of \(progress.total) items")
      return isCancelled ? .cancel : .proceed
    }
    try vault.rotateKeys(
      keeping: [.passphrase(Secret(passphrase.utf8))], removingOtherSlots: true)
    #expect(try vault.items(matching: .all).count == 3)
    #expect(try opened.isLocked)
    try vault.removeDamagedCopies()
  }

  @Test func resuming() throws {
    let vault = try filled()
    #expect(throws: SecretStoreError.cancelled) {
      try vault.rotateKeys(keeping: [.passphrase(Secret(passphrase.utf8))]) { _ in .cancel }
    }
    #expect(try vault.isRotationPending)
    if try vault.isRotationPending {
      try vault.resumeRotation()
    }
    #expect(try !vault.isRotationPending)
    #expect(try vault.items(matching: .all).count == 3)
  }

  @Test func otherObjectUnlocksAgain() throws {
    let vault = try filled()
    let other = opened
    try other.unlock(with: .passphrase(Secret(passphrase.utf8)))
    try vault.rotateKeys(keeping: [.passphrase(Secret(passphrase.utf8))])
    #expect(try !vault.isLocked)
    #expect(try other.isLocked)
    try other.unlock(with: .passphrase(Secret(passphrase.utf8)))
    #expect(try other.items(matching: .all).count == 3)
  }
}
