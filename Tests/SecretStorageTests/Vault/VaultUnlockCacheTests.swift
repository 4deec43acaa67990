import Concurrency
import TestSupport
import Testing

@testable import SecretStorage

/// Vaults that share an unlock cache.
struct VaultUnlockCacheTests {
  private final class TestCache: UnlockCache {
    let keys = Lock<[String: Secret]>([:])
    let isBroken = Lock(false)

    private func check() throws(SecretStoreError) {
      if isBroken.withLock({ $0 }) { throw .unavailable("The cache of the test is broken.") }
    }

    func key(forVault vault: String) throws(SecretStoreError) -> Secret? {
      try check()
      return keys.withLock { $0[vault] }
    }

    func hold(_ key: Secret, forVault vault: String) throws(SecretStoreError) {
      try check()
      keys.withLock { $0[vault] = key }
    }

    func removeKey(forVault vault: String) throws(SecretStoreError) {
      try check()
      keys.withLock { $0[vault] = nil }
    }

    var isEmpty: Bool { keys.withLock { $0.isEmpty } }
  }

  private let vault = TestVault()
  private let cache = TestCache()
  private let passphrase = Secret("open sesame".utf8)

  private func open() -> SecretVault {
    let object = vault.open()
    object.unlockCache = cache
    return object
  }

  /// Returns an object that has unlocked the vault with its passphrase.
  private func unlockedVault() throws -> SecretVault {
    let first = open()
    try first.setPassphrase(passphrase, cost: .cheap)
    try first.add("text", account: "account")
    #expect(cache.isEmpty)
    #expect(try open().isLocked)
    let object = open()
    try object.unlock(with: .passphrase(passphrase))
    #expect(!cache.isEmpty)
    return object
  }

  @Test func otherObjectsAreUnlockedByTheCache() throws {
    let waiting = open()
    let object = try unlockedVault()
    #expect(try open().text("account") == "text")
    #expect(try waiting.text("account") == "text")
    try object.add("more", account: "other")
    #expect(try waiting.text("other") == "more")
    #expect(try vault.open().isLocked)
  }

  @Test func lockedObjectTakesTheKeyOnceItIsThere() throws {
    let first = open()
    try first.setPassphrase(passphrase, cost: .cheap)
    try first.add("text", account: "account")
    let waiting = open()
    #expect(try waiting.isLocked)
    try open().unlock(with: .passphrase(passphrase))
    #expect(try waiting.text("account") == "text")
  }

  @Test func lockingRevokesTheKeyAndStaysInItsProcess() throws {
    let object = try unlockedVault()
    object.lock()
    #expect(cache.isEmpty)
    #expect(try object.isLocked && open().isLocked)
    try open().unlock(with: .passphrase(passphrase))
    // The object that the app has locked does not take the key by itself.
    #expect(try object.isLocked)
    try object.unlock()
    #expect(try !object.isLocked)
  }

  @Test func changesOfSlotsAndRotationsRevokeTheKey() throws {
    let object = try unlockedVault()
    let code = try object.addRecoveryCode(named: "code")
    #expect(cache.isEmpty)
    try object.unlock(with: .passphrase(passphrase))
    try object.removeSlot(code.slot.id)
    #expect(cache.isEmpty)
    try object.unlock(with: .passphrase(passphrase))
    let old = try #require(cache.keys.withLock { $0.first })
    try object.rotateKeys(keeping: [.passphrase(passphrase)])
    #expect(cache.isEmpty)
    // The old key opens nothing, even if another program has kept it.
    cache.keys.withLock { $0[old.key] = old.value }
    #expect(try open().isLocked)
  }

  @Test func wrongKeyInTheCacheIsIgnored() throws {
    let object = try unlockedVault()
    let id = try #require(cache.keys.withLock { $0.keys.first })
    for count in [0, 31, 32, 33, 1000] {
      cache.keys.withLock { $0[id] = Secret(Array(repeating: UInt8(1), count: count)) }
      let other = open()
      #expect(try other.isLocked)
      #expect(throws: SecretStoreError.locked) { try other.items(matching: .all) }
      try other.unlock(with: .passphrase(passphrase))
      #expect(try other.text("account") == "text")
      #expect(try object.text("account") == "text")
    }
  }

  @Test func brokenCacheIsSilentForAccessesAndNamedByDiagnose() throws {
    _ = try unlockedVault()
    cache.isBroken.withLock { $0 = true }
    let object = open()
    #expect(throws: SecretStoreError.locked) { try object.items(matching: .all) }
    #expect(object.diagnose().problems.map(\.subject) == ["Unlock cache"])
    try object.unlock(with: .passphrase(passphrase))
    #expect(try object.text("account") == "text")
  }

  @Test func cacheDoesNotAnswerForAnAuthenticator() async throws {
    _ = try unlockedVault()
    let person = ScriptedConversation(answers: ["open barley"])
    let object = open()
    #expect(try !object.isLocked)
    let authenticator = PassphraseAuthenticator(for: object, attempts: 1, conversation: person)
    #expect(await authenticator.outcome() == .failure(.denied("the passphrase was wrong")))
  }
}
