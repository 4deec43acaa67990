import TestSupport
import Testing

@testable import SecretStorage

/// Several objects, as of several processes, on one vault with changing slots.
struct VaultSharedSlotTests {
  private let vault = TestVault()

  @Test func unlockedVaultStaysSoAndSeesSlotChanges() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    let slot = try object.addSlot(.passphrase("p"), named: "person", cost: .minimum)
    let other = try vault.openElsewhere()
    try other.unlock(with: .passphrase("p"))
    let (recovery, _) = try object.addRecoveryCode(named: "paper")
    #expect(try other.slots.map(\.id) == [1, slot.id, recovery.id])
    try object.removeSlot(slot.id)
    #expect(try other.slots.map(\.id) == [1, recovery.id])
    #expect(try !other.isLocked)
    #expect(try other.text("a") == "value")
    try other.add("more", account: "more")
    #expect(try object.text("more") == "more")
    let before = try object.revision()
    try other.renameSlot(recovery.id, to: "drawer")
    #expect(try object.slots == other.slots)
    #expect(try object.revision() != before)
    other.lock()
    #expect(throws: SecretStoreError.invalid("The vault has no passphrase")) {
      try other.unlock(with: .passphrase("p"))
    }
    #expect(try object.verify().isSound)
  }

  @Test func concurrentlyAddedSlotsAreKept() throws {
    try vault.open().add("value", account: "a")
    try onThreads(8) { number in
      let object = vault.open()
      object.lockTimeout = .unlimited
      while true {
        do {
          try object.addSlot(.recoveryCode(try .example(UInt8(number % 4))), named: "\(number)")
          return
        } catch SecretStoreError.conflict {}
      }
    }
    let slots = try vault.open().slots
    #expect(Set(slots.map(\.id)) == Set(1...9))
    #expect(Set(slots.dropFirst().map(\.name)) == Set((0..<8).map(String.init)))
    #expect(try vault.open().verify().isSound)
  }
}
