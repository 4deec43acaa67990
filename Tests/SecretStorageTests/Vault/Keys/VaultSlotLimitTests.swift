import CipherSupport
import Concurrency
import TestSupport
import Testing

@testable import SecretStorage

/// Key tables with too many slots, or too costly ones.
struct VaultSlotLimitTests {
  /// The number of passphrases that were stretched.
  private let count = Lock(0)

  /// A cipher that counts, and then runs an action.
  private func cipher(_ action: @escaping @Sendable () -> Void = {}) -> HookedCipher {
    HookedCipher { [count] in
      count.withLock { $0 += 1 }
      action()
    }
  }

  private func takeCount() -> Int { count.exchange(0) }

  private let vault = TestVault()

  @Test func vaultHasAtMost64Slots() throws {
    let object = try vault.openWithItem()
    let key = UnlockKey.keyFile(try vault.keyFile(1))
    for number in 2...KeyTable.slotLimit { try object.addSlot(key, named: "\(number)") }
    let bytes = try vault.bytes
    expectError("invalid") { try object.addSlot(key, named: "65") }
    expectError("invalid") { try object.addRecoveryCode(named: "65") }
    #expect(try vault.bytes == bytes)
    #expect(try vault.open().slots.count == KeyTable.slotLimit)
    try object.removeSlot(2)
    try object.addSlot(key, named: "another")
    // The new slot replaces all others.
    try object.setPassphrase(TestVault.passphrase, cost: .minimum)
    #expect(try vault.open().slots.count == 1)
    #expect(try object.text("a") == "value")
  }

  @Test func passphrasesTakeAtMost32GiBTogether() throws {
    let object = vault.open()
    for name: Secret in ["1", "2"] {
      try object.addSlot(.passphrase(name), named: name.text, cost: ScryptCost(20, 8, 16))
    }
    let third = { _ = try object.addSlot(.passphrase("3"), named: "3", cost: .minimum) }
    expectError("invalid", from: third)
    #expect(try object.slots.count == 3)
    try object.addSlot(.keyFile(vault.keyFile(1)), named: "key file")
    try object.removeSlot(2)
    try third()
  }

  /// Makes a table with copies of another passphrase's slot, and a wrong tag.
  private func forge(_ count: Int, _ cost: ScryptCost) throws {
    _ = try vault.protected(by: "another")
    let bytes = try TestVault.changingTables(of: vault.bytes) { _, table in
      let slot = table.slots[0]
      table.slots = (1...count).map { number in
        KeySlot(
          id: UInt32(number), name: "\(number)", kind: .passphrase(cost), salt: slot.salt,
          checkValue: slot.checkValue, sealed: slot.sealed)
      }
    }
    try vault.replace(by: bytes)
    try vault.forget()
  }

  @Test(arguments: [(65, ScryptCost.minimum, 0), (64, .minimum, 64), (64, .init(20, 8, 1), 32)])
  func forgedSlotsCostNoMoreThanTheLimit(_ slots: Int, _ cost: ScryptCost, _ expected: Int) throws {
    try forge(slots, cost)
    for use in [
      // With the device's key, the table would be refused before any slot is tried.
      { try vault.open(state: vault.path("elsewhere"), cipher: cipher()).unlock(with: .tests) },
      { try TestVault().open(cipher: cipher()).importFile(of: vault) },
    ] as [() throws -> Void] {
      #expect(throws: SecretStoreError.self, performing: use)
      #expect(takeCount() == expected)
    }
  }

  private func addPassphrases() throws {
    let object = vault.open()
    try object.addPassphrases("1", "2", "3", "4", "5")
    try object.removeSlot(1)
  }

  @Test func importIsCancelledBeforeTheNextSlot() throws {
    try addPassphrases()
    expectError(.cancelled) {
      try TestVault().open(cipher: cipher()).importItems(
        from: vault.file, passphrase: TestVault.passphrase
      ) { progress in
        #expect(progress == MaintenanceProgress(completed: 0, total: 0))
        return takeCount() == 1 ? .cancel : .proceed
      }
    }
    #expect(takeCount() == 0)
  }

  @Test func cancelledAuthenticatorTriesNoFurtherSlot() async throws {
    try addPassphrases()
    let task = Lock<Task<AuthenticationProofs, any Error>?>(nil)
    let cipher = cipher { task.withLock { $0 }?.cancel() }
    let authenticator = PassphraseAuthenticator(
      for: vault.open(cipher: cipher), conversation: ScriptedConversation("wrong"))
    let request = AuthenticationRequest(reason: "test", accepting: .passcode)
    // The lock is free while a slot is tried.
    task.withLock { $0 = Task { try await authenticator.authenticate(request) } }
    let result = await task.withLock { $0 }?.result
    expectError(.cancelled) { try result?.get() }
    #expect(takeCount() == 1)
  }

  @Test func lockCancelsUnlockBeforeTheNextSlot() throws {
    try addPassphrases()
    let reader = Lock<SecretVault?>(nil)
    let locked = vault.open(cipher: cipher { reader.withLock { $0.take() }?.lock() })
    reader.withLock { $0 = locked }
    expectError(.cancelled) { try locked.unlock(with: .tests) }
    #expect(takeCount() == 1)
    #expect(try locked.isLocked)
  }

  @Test func applicationPasswordOfLowCostIsAnError() throws {
    let cipher = TestCipher()
    let identity = ItemIdentity.generic(account: "a")
    let password = ApplicationPassword("password")
    func secret(_ cost: ScryptCost) throws -> Secret {
      try ConstrainedSecret(
        enrolledSet: [], sealing: "value", of: identity, under: password, cost: cost, cipher
      ).secret(of: identity, with: password, cipher)
    }
    #expect(try secret(.minimum).text == "value")
    expectError("corrupted") { try secret(ScryptCost(1, 8, 1)) }
  }
}
