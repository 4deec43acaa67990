import StorageInternals
import Testing

@testable import SecretStorage

/// Several objects, as of several processes, on one vault with changing slots.
struct VaultSharedSlotTests {
  private let vault = TestVault()

  @Test func whoHasTheVaultUnlockedKeepsItSoAndSeesTheSlots() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    let slot = try object.addSlot(
      .passphrase(Secret("p".utf8)), named: "person", cost: .minimum)
    let other = try vault.openElsewhere()
    try other.unlock(with: .passphrase(Secret("p".utf8)))
    let (recovery, _) = try object.addRecoveryCode(named: "paper")
    #expect(try other.slots.map(\.id) == [1, slot.id, recovery.id])
    try object.removeSlot(slot.id)
    #expect(try other.slots.map(\.id) == [1, recovery.id])
    #expect(try !other.isLocked)
    #expect(try other.text("a") == "value")
    try other.add("more", account: "more")
    #expect(try object.text("more") == "more")
    try other.renameSlot(recovery.id, to: "drawer")
    #expect(try object.slots == other.slots)
    other.lock()
    #expect(throws: SecretStoreError.invalid("The vault has no passphrase")) {
      try other.unlock(with: .passphrase(Secret("p".utf8)))
    }
    #expect(try object.verify().isSound)
  }

  @Test func slotsThatAreAddedAtTheSameTimeAreAllThere() async throws {
    try vault.open().add("value", account: "a")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number: UInt8 in 0..<8 {
        group.addTask {
          let object = vault.open()
          while true {
            do {
              try object.addSlot(
                .recoveryCode(try .example(number % 4)), named: "\(number)")
              return
            } catch SecretStoreError.conflict {}
          }
        }
      }
      try await group.waitForAll()
    }
    let slots = try vault.open().slots
    #expect(Set(slots.map(\.id)) == Set(1...9))
    #expect(Set(slots.dropFirst().map(\.name)) == Set((0..<8).map(String.init)))
    #expect(try vault.open().verify().isSound)
  }

  @Test func observersAreTold() async throws {
    let object = vault.open()
    try object.add("value", account: "a")
    let before = try object.revision()
    try object.renameSlot(1, to: "laptop")
    #expect(try object.revision() != before)
  }
}
