import Concurrency
import TestSupport
import Testing

@testable import SecretStorage

struct VaultPassphraseChangeTests {
  private let vault = TestVault()

  /// Makes a vault with a passphrase and a device slot.
  @discardableResult
  private func make() throws -> SecretVault {
    let object = try vault.openWithItem()
    try object.addSlot(.passphrase("old"), named: "person", cost: .minimum)
    try object.add("bound", account: "bound", .whenPasscodeSetThisDeviceOnly)
    return object
  }

  @Test func newPassphraseReplacesOldOne() throws {
    let object = try make()
    let slots = try object.slots
    let sealed = try #require(try object.withContents { $0.keys.table?.slots.last?.encoded })
    let cost = ScryptCost(14, 8, 2)
    try object.changePassphrase(from: "old", to: "new", cost: cost)
    #expect(try !object.isLocked)
    #expect(try object.slots == [slots[0], .init(id: 2, name: "person", kind: .passphrase(cost))])
    #expect(try vault.bytes.firstRange(of: sealed) == nil)
    let other = try vault.openElsewhere()
    expectError(.wrongPassphrase) { try other.unlock(with: .passphrase("old")) }
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
    func change(_ id: UInt32?) throws {
      try object.changePassphrase(ofSlot: id, from: "old", to: "new", cost: .minimum)
    }
    expectError(.invalid("The vault has no passphrase")) { try change(nil) }
    try object.add("value", account: "a")
    expectError(.invalid("The vault has no passphrase")) { try change(nil) }
    expectError(.invalid("Slot 1, \"this device\", is not for a passphrase")) { try change(1) }
    expectError(.invalid("The vault has no slot 2")) { try change(2) }
    try object.addPassphrases("old", "second")
    let bytes = try vault.bytes
    let sentence = "The vault has 2 passphrases: specify the slot of one of them"
    expectError(.invalid(sentence)) { try change(nil) }
    // Another slot's passphrase is wrong here.
    expectError(.wrongPassphrase) { try change(3) }
    #expect(try vault.bytes == bytes)
    try change(2)
    for passphrase: Secret in ["new", "second"] {
      try vault.open().unlock(with: .passphrase(passphrase))
    }
  }

  @Test func damagedSlotIsNotOverwritten() throws {
    let object = try make()
    try vault.damageSlots()
    let bytes = try vault.bytes
    let sentence = "The key slot \"person\" is damaged, although the passphrase is correct"
    expectError(.corrupted(sentence)) {
      try object.changePassphrase(from: "old", to: "new", cost: .minimum)
    }
    #expect(try vault.bytes == bytes)
  }

  /// Of two concurrent changes of one passphrase, the one that is written first succeeds.
  @Test func changeDuringAnotherChangeIsAnError() throws {
    try make()
    let other = Lock<SecretVault?>(vault.open())
    let cipher = HookedCipher {
      guard let object = other.withLock({ $0.take() }) else { return }
      recordingErrors { try object.changePassphrase(from: "old", to: "first", cost: .minimum) }
    }
    expectError(.wrongPassphrase) {
      try vault.open(cipher: cipher).changePassphrase(from: "old", to: "second", cost: .minimum)
    }
    let object = try vault.openElsewhere()
    expectError(.wrongPassphrase) { try object.unlock(with: .passphrase("second")) }
    try object.unlock(with: .passphrase("first"))
    #expect(try vault.open().texts() == ["a": "value", "bound": "bound"])
  }
}
