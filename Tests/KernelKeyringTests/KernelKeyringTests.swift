import FoundationEssentials
import KernelKeyring
import SecretStorage
import TestSupport
import Testing

/// Whether this kernel, or this container, lets processes have keys.
private let isKernelKeyringAvailable: Bool = {
  do throws(SecretStoreError) {
    _ = try KernelKeyringCache(for: .seconds(1)).key(forVault: "none")
    return true
  } catch {
    return false
  }
}()

@Suite(
  .enabled(
    if: isKernelKeyringAvailable || ProcessInfo.processInfo.environment["CI"] != nil,
    "The kernel's keyring cannot be used here"))
struct KernelKeyringTests {
  private let name = "test-\(UUID())"
  private let cache = KernelKeyringCache(for: .seconds(900))
  private let key = Secret((0..<32).map { UInt8($0 + 7) })

  @Test func keyIsHeldReplacedAndRemoved() throws {
    #expect(try cache.key(forVault: name) == nil)
    try cache.removeKey(forVault: name)
    try cache.hold(key, forVault: name)
    #expect(try cache.key(forVault: name) == key)
    let other = Secret(Array(repeating: UInt8(9), count: 32))
    try cache.hold(other, forVault: name)
    #expect(try KernelKeyringCache(for: .seconds(1)).key(forVault: name) == other)
    try cache.removeKey(forVault: name)
    #expect(try cache.key(forVault: name) == nil)
  }

  @Test func keyEndsWithItsTime() async throws {
    let short = KernelKeyringCache(for: .milliseconds(1))
    try short.hold(key, forVault: name)
    try await suspend { try short.key(forVault: name) == nil }
  }

  @Test func keyOfAnotherSizeIsNone() throws {
    try cache.hold(Secret([1, 2, 3]), forVault: name)
    #expect(try cache.key(forVault: name) == nil)
    try cache.removeKey(forVault: name)
  }

  @Test func onePassphraseServesOtherObjectsUntilOneLocks() throws {
    let directory = try TemporaryDirectory()
    let open = {
      let vault = SecretVault(
        fileURL: URL(filePath: directory("vault")), stateDirectory: directory.url)
      vault.unlockCache = .kernelKeyring(for: .seconds(900))
      return vault
    }
    let passphrase = Secret("open sesame".utf8)
    let first = open()
    try first.setPassphrase(passphrase, cost: .minimum)
    #expect(try open().isLocked)
    let second = open()
    try second.unlock(with: .passphrase(passphrase))
    let third = open()
    #expect(try !third.isLocked)
    second.lock()
    #expect(try open().isLocked)
  }
}
