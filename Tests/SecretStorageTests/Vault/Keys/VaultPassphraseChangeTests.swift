import StorageInternals
import Testing

@testable import SecretStorage

struct VaultPassphraseChangeTests {
  private let vault = TestVault()
  private let old = Secret("old".utf8)
  private let new = Secret("new".utf8)

  /// Makes a vault with a passphrase and a device slot.
  @discardableResult
  private func make() throws -> SecretVault {
    let object = vault.open()
    try object.add("value", account: "a")
    try object.addSlot(.passphrase(old), named: "person", cost: .minimum)
    try object.add("bound", account: "bound", .whenPasscodeSetThisDeviceOnly)
    return object
  }

  @Test func oldPassphraseOpensNothingAnyMoreAndNewOneDoes() throws {
    let object = try make()
    let slots = try object.slots
    let sealed = try #require(try object.withContents { $0.keys.table?.slots.last?.encoded })
    let cost = PassphraseCost.scrypt(
      ScryptCost(logarithmicCost: 14, blockSize: 8, parallelization: 2))
    try object.changePassphrase(from: old, to: new, cost: cost)
    #expect(try !object.isLocked)
    #expect(
      try object.slots == [slots[0], .init(id: 2, name: "person", kind: .passphrase(cost))])
    #expect(try vault.bytes.firstRange(of: sealed) == nil)
    let other = try vault.openElsewhere()
    #expect(throws: SecretStoreError.wrongPassphrase) { try other.unlock(with: .passphrase(old)) }
    try other.unlock(with: .passphrase(new))
    #expect(try other.text("a") == "value")
    #expect(try object.texts() == ["a": "value", "bound": "bound"])
    #expect(try vault.open().texts() == object.texts())
  }

  @Test func lockedVaultStaysLocked() throws {
    let maker = try make()
    try maker.removeSlot(1)
    maker.lock()
    let fresh = vault.open()
    for (locked, passphrases) in [(maker, (old, new)), (fresh, (new, old))] {
      try locked.changePassphrase(from: passphrases.0, to: passphrases.1, cost: .minimum)
      #expect(try locked.isLocked)
      #expect(throws: SecretStoreError.locked) {
        try locked.add("more", account: "more")
      }
    }
    #expect(throws: SecretStoreError.locked) { try fresh.texts() }
    try fresh.unlock(with: .passphrase(old))
    #expect(try fresh.texts() == ["a": "value", "bound": "bound"])
    try maker.unlock(with: .passphrase(old))
    #expect(try maker.texts() == fresh.texts())
  }

  @Test func wrongOldPassphraseChangesNothing() throws {
    let object = try make()
    let bytes = try vault.bytes
    #expect(throws: SecretStoreError.wrongPassphrase) {
      try object.changePassphrase(from: new, to: new, cost: .minimum)
    }
    #expect(try vault.bytes == bytes)
  }

  @Test func slotIsNamedWhereThereAreSeveral() throws {
    let object = try make()
    try object.addSlot(.passphrase(Secret("second".utf8)), named: "second", cost: .minimum)
    let error = try failure { try object.changePassphrase(from: old, to: new, cost: .minimum) }
    #expect(error.invalid == "The vault has 2 passphrases: specify the slot of one of them")
    // Another slot's passphrase is wrong here.
    #expect(throws: SecretStoreError.wrongPassphrase) {
      try object.changePassphrase(ofSlot: 3, from: old, to: new, cost: .minimum)
    }
    try object.changePassphrase(ofSlot: 2, from: old, to: new, cost: .minimum)
    for passphrase in [new, Secret("second".utf8)] {
      try vault.open().unlock(with: .passphrase(passphrase))
    }
  }

  @Test func slotsThatHaveNoPassphraseAreRefused() throws {
    let object = vault.open()
    func error(_ id: UInt32?) throws -> String? {
      try failure {
        try object.changePassphrase(ofSlot: id, from: old, to: new, cost: .minimum)
      }.invalid
    }
    #expect(try error(nil) == "The vault has no passphrase")
    try object.add("value", account: "a")
    #expect(try error(nil) == "The vault has no passphrase")
    #expect(try error(1) == "Slot 1, \"this device\", is not for a passphrase")
    #expect(try error(2) == "The vault has no slot 2")
  }

  @Test func damagedSlotIsSaidAndNotWrittenOver() throws {
    let object = try make()
    try vault.damageSlots(of: .passphrase)
    let bytes = try vault.bytes
    let error = try failure { try object.changePassphrase(from: old, to: new, cost: .minimum) }
    #expect(
      error.corrupted == "The key slot \"person\" is damaged, although the passphrase is correct")
    #expect(try vault.bytes == bytes)
  }

  /// Of two concurrent changes of one passphrase, only one succeeds.
  @Test func changeOfAChangedPassphraseIsRefused() async throws {
    try make()
    let results = try await withThrowingTaskGroup(of: SecretStoreError?.self) { group in
      for number in 0..<4 {
        group.addTask {
          do {
            try vault.open().changePassphrase(
              from: old, to: Secret("new \(number)".utf8), cost: .minimum)
            return nil
          } catch {
            return error as? SecretStoreError
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.count { $0 == nil } == 1)
    // The loser finds a wrong passphrase or a changed file.
    #expect(results.allSatisfy { [nil, .wrongPassphrase, .conflict].contains($0) })
    #expect(try vault.open().texts() == ["a": "value", "bound": "bound"])
  }
}
