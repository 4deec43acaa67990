import Concurrency
import StorageInternals
import Testing

@testable import SecretStorage

struct VaultPassphraseChangeTests {
  private let vault = TestVault()

  /// Makes a vault with a passphrase and a device slot.
  @discardableResult
  private func make() throws -> SecretVault {
    let object = vault.open()
    try object.add("value", account: "a")
    try object.addSlot(.passphrase("old"), named: "person", cost: .minimum)
    try object.add("bound", account: "bound", .whenPasscodeSetThisDeviceOnly)
    return object
  }

  @Test func newPassphraseReplacesOldOne() throws {
    let object = try make()
    let slots = try object.slots
    let sealed = try #require(try object.withContents { $0.keys.table?.slots.last?.encoded })
    let cost = ScryptCost(logarithmicCost: 14, blockSize: 8, parallelization: 2)
    try object.changePassphrase(from: "old", to: "new", cost: cost)
    #expect(try !object.isLocked)
    #expect(try object.slots == [slots[0], .init(id: 2, name: "person", kind: .passphrase(cost))])
    #expect(try vault.bytes.firstRange(of: sealed) == nil)
    let other = try vault.openElsewhere()
    #expect(throws: SecretStoreError.wrongPassphrase) { try other.unlock(with: .passphrase("old")) }
    try other.unlock(with: .passphrase("new"))
    #expect(try other.text("a") == "value")
    #expect(try object.texts() == ["a": "value", "bound": "bound"])
    #expect(try vault.open().texts() == object.texts())
  }

  @Test func lockedVaultStaysLocked() throws {
    let maker = try make()
    try maker.removeSlot(1)
    maker.lock()
    let fresh = vault.open()
    for (locked, old, new) in [(maker, "old", "new"), (fresh, "new", "old")] {
      try locked.changePassphrase(from: Secret(old.utf8), to: Secret(new.utf8), cost: .minimum)
      #expect(try locked.isLocked)
      expectLocked { try locked.add("more", account: "more") }
    }
    expectLocked { try fresh.texts() }
    for object in [fresh, maker] {
      try object.unlock(with: .passphrase("old"))
      #expect(try object.texts() == ["a": "value", "bound": "bound"])
    }
  }

  @Test func changeNeedsOneSlotWithAPassphrase() throws {
    let object = vault.open()
    func error(_ id: UInt32?) throws -> SecretStoreError {
      try failure {
        try object.changePassphrase(ofSlot: id, from: "old", to: "new", cost: .minimum)
      }
    }
    #expect(try error(nil) == .invalid("The vault has no passphrase"))
    try object.add("value", account: "a")
    #expect(try error(nil) == .invalid("The vault has no passphrase"))
    for id: UInt32 in [1, 2] {
      #expect(try error(id) == .invalid("The vault has no passphrase in slot \(id)"))
    }
    for name in ["old", "second"] {
      try object.addSlot(.passphrase(Secret(name.utf8)), named: name, cost: .minimum)
    }
    let bytes = try vault.bytes
    #expect(
      try error(nil) == .invalid("The vault has 2 passphrases: specify the slot of one of them"))
    // Another slot's passphrase is wrong here.
    #expect(try error(3) == .wrongPassphrase)
    #expect(try vault.bytes == bytes)
    try object.changePassphrase(ofSlot: 2, from: "old", to: "new", cost: .minimum)
    for passphrase: Secret in ["new", "second"] {
      try vault.open().unlock(with: .passphrase(passphrase))
    }
  }

  @Test func damagedSlotIsNotOverwritten() throws {
    let object = try make()
    try vault.damageSlots(of: .passphrase)
    let bytes = try vault.bytes
    let error = try failure { try object.changePassphrase(from: "old", to: "new", cost: .minimum) }
    #expect(
      error.corrupted == "The key slot \"person\" is damaged, although the passphrase is correct")
    #expect(try vault.bytes == bytes)
  }

  /// Of two concurrent changes of one passphrase, the one that is written first succeeds.
  @Test func changeDuringAnotherChangeIsAnError() throws {
    try make()
    let other = Lock<SecretVault?>(vault.open())
    let cipher = HookedCipher {
      guard let object = other.withLock({ $0.take() }) else { return }
      #expect(throws: Never.self) {
        try object.changePassphrase(from: "old", to: "first", cost: .minimum)
      }
    }
    #expect(throws: SecretStoreError.wrongPassphrase) {
      try vault.open(cipher: cipher).changePassphrase(from: "old", to: "second", cost: .minimum)
    }
    let object = try vault.openElsewhere()
    #expect(throws: SecretStoreError.wrongPassphrase) {
      try object.unlock(with: .passphrase("second"))
    }
    try object.unlock(with: .passphrase("first"))
    #expect(try vault.open().texts() == ["a": "value", "bound": "bound"])
  }
}
