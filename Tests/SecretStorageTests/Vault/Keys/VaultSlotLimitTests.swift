import CipherSupport
import Concurrency
import Dispatch
import FoundationEssentials
import Testing

@testable import SecretStorage

/// Key tables with too many slots, or too costly ones.
struct VaultSlotLimitTests {
  /// A cipher with free, counted and observable passphrase stretching.
  private struct FreeCipher: ForwardingCipher {
    private final class Counter: Sendable {
      let count = Lock(0)
    }

    let cipher = OpenSSLCipher()
    private let stretched = Counter()
    var whenStretching: @Sendable () -> Void = {}

    func stretch(
      _ passphrase: Secret, salt: ArraySlice<UInt8>, cost: ScryptCost
    ) throws(SecretStoreError) -> Secret {
      stretched.count.withLock { $0 += 1 }
      whenStretching()
      return try cipher.deriveKey(from: passphrase, salt: salt, purpose: "stretched")
    }

    func take() -> Int {
      stretched.count.withLock { count in
        defer { count = 0 }
        return count
      }
    }
  }

  private static let largest = PassphraseCost.scrypt(
    ScryptCost(logarithmicCost: 20, blockSize: 8, parallelization: 1))
  private let vault = TestVault()

  @Test func vaultHasAtMost64Slots() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    let key = UnlockKey.keyFile(try vault.keyFile(1))
    for number in 2...KeyTable.slotLimit { try object.addSlot(key, named: "\(number)") }
    let bytes = try vault.bytes
    #expect(try failure { try object.addSlot(key, named: "65") }.invalid != nil)
    #expect(try failure { _ = try object.addRecoveryCode(named: "65") }.invalid != nil)
    #expect(try vault.bytes == bytes)
    #expect(try vault.open().slots.count == KeyTable.slotLimit)
    try object.removeSlot(2)
    try object.addSlot(key, named: "another")
    // The new slot replaces all others.
    try object.setPassphrase(TestVault.passphrase, cost: .cheap)
    #expect(try vault.open().slots.count == 1)
    #expect(try object.text("a") == "value")
  }

  @Test func passphrasesTakeAtMost32GiBTogether() throws {
    let object = vault.open(cipher: FreeCipher())
    let cost = PassphraseCost.scrypt(
      ScryptCost(logarithmicCost: 20, blockSize: 8, parallelization: 16))
    for number in 1...2 {
      try object.addSlot(.passphrase(Secret([UInt8(number)])), named: "\(number)", cost: cost)
    }
    let error = try failure {
      try object.addSlot(.passphrase(Secret([3])), named: "3", cost: .cheap)
    }
    #expect(error.invalid != nil)
    #expect(try object.slots.count == 3)
    try object.addSlot(.keyFile(vault.keyFile(1)), named: "key file")
    try object.removeSlot(2)
    try object.addSlot(.passphrase(Secret([3])), named: "3", cost: .cheap)
  }

  /// Makes a table with copies of another passphrase's slot, and a wrong tag.
  private func forge(_ count: Int, _ cost: PassphraseCost) throws {
    let object = vault.open(cipher: FreeCipher())
    try object.setPassphrase(Secret("another".utf8), cost: .cheap)
    let bytes = try TestVault.changingTables(of: vault.bytes) { _, table in
      let key = table.slots[0].key
      table.slots = (1...count).map { number in
        KeySlot(id: UInt32(number), name: "\(number)", kind: .passphrase(cost), key: key)
      }
    }
    try vault.replace(by: bytes)
    try vault.forget()
  }

  @Test(arguments: [(65, PassphraseCost.cheap, 0), (64, .cheap, 64), (64, largest, 32)])
  func forgedSlotsCostNoMoreThanTheLimit(
    _ count: Int, _ cost: PassphraseCost, _ expected: Int
  ) throws {
    try forge(count, cost)
    let cipher = FreeCipher()
    let other = TestVault()
    #expect(throws: SecretStoreError.self) {
      // With the device's key, the table would be refused before any slot is tried.
      try vault.open(state: vault.path("elsewhere"), cipher: cipher)
        .unlock(with: .passphrase(TestVault.passphrase))
    }
    #expect(cipher.take() == expected)
    #expect(throws: SecretStoreError.self) {
      try other.open(cipher: cipher).importItems(
        from: vault.file, passphrase: TestVault.passphrase)
    }
    #expect(cipher.take() == expected)
  }

  private func addPassphrases() throws {
    let object = vault.open(cipher: FreeCipher())
    try object.setPassphrase(Secret("first".utf8), cost: .cheap)
    for number in 2...5 {
      try object.addSlot(
        .passphrase(Secret("passphrase \(number)".utf8)), named: "\(number)", cost: .cheap)
    }
  }

  @Test func importEndsBeforeTheNextSlotWhenItIsTold() throws {
    try addPassphrases()
    let cipher = FreeCipher()
    #expect(throws: SecretStoreError.cancelled) {
      try TestVault().open(cipher: cipher).importItems(
        from: vault.file, passphrase: TestVault.passphrase
      ) { progress in
        #expect(progress == MaintenanceProgress(completed: 0, total: 0))
        return cipher.take() == 1 ? .cancel : .proceed
      }
    }
    #expect(cipher.take() == 0)
  }

  @Test func authenticatorTriesNoFurtherSlotForATaskThatIsCancelled() async throws {
    try addPassphrases()
    let task = Lock<Task<AuthenticationProofs, any Error>?>(nil)
    let cipher = FreeCipher(whenStretching: { task.withLock { $0 }?.cancel() })
    let authenticator = PassphraseAuthenticator(
      for: vault.open(cipher: cipher), conversation: ScriptedConversation("wrong"))
    task.withLock { task in
      // The lock is free while a slot is tried.
      task = Task {
        try await authenticator.authenticate(
          AuthenticationRequest(reason: "test", accepting: .passcode))
      }
    }
    let result = await task.withLock { $0 }?.result
    #expect(throws: SecretStoreError.cancelled) { try result?.get() }
    #expect(cipher.take() == 1)
  }

  @Test func lockingEndsAnUnlockingBeforeTheNextSlot() throws {
    try addPassphrases()
    let reader = Lock<SecretVault?>(nil)
    let cipher = FreeCipher(whenStretching: { reader.withLock { $0 }?.lock() })
    let locked = vault.open(cipher: cipher)
    reader.withLock { $0 = locked }
    defer { reader.withLock { $0 = nil } }
    #expect(throws: SecretStoreError.cancelled) {
      try locked.unlock(with: .passphrase(TestVault.passphrase))
    }
    #expect(cipher.take() == 1)
    #expect(try locked.isLocked)
  }

  @Test func applicationPasswordOfTooLittleWorkIsRefused() throws {
    let cipher = OpenSSLCipher()
    let identity = ItemIdentity.generic(account: "a")
    let password = ApplicationPassword(Secret("password".utf8))
    let cheap = ScryptCost(logarithmicCost: 1, blockSize: 8, parallelization: 1)
    for cost in [ScryptCost.cheap, cheap] {
      let sealed = try ConstrainedSecret(
        enrolledSet: [], sealing: Secret("value".utf8), of: identity, under: password, cost: cost,
        cipher)
      if cost == .cheap {
        #expect(try sealed.secret(of: identity, with: password, cipher).text == "value")
      } else {
        let error = try failure { _ = try sealed.secret(of: identity, with: password, cipher) }
        #expect(error.corrupted != nil)
      }
    }
  }
}
