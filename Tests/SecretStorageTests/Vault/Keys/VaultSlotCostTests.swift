import Testing

@testable import SecretStorage

/// The allowed cost of a passphrase's slot, in vaults from an untrusted writer.
struct VaultSlotCostTests {
  private let vault = TestVault()
  private let passphrase = Secret("passphrase".utf8)

  /// Makes a vault with a second passphrase, whose slot claims a cost.
  private func make(_ cost: PassphraseCost) throws {
    let object = vault.open()
    try object.add("value", account: "a")
    try object.addSlot(.passphrase(Secret("other".utf8)), named: "other", cost: .minimum)
    try object.addSlot(.passphrase(passphrase), named: "person", cost: .minimum)
    try vault.changeSlots { slot in
      if slot.name != "other" { return [slot] }
      return [
        KeySlot(id: slot.id, name: slot.name, kind: .passphrase(cost), key: slot.key)
      ]
    }
  }

  private func cost(_ n: UInt8, _ r: UInt32, _ p: UInt32) -> PassphraseCost {
    .scrypt(ScryptCost(logarithmicCost: n, blockSize: r, parallelization: p))
  }

  @Test(
    arguments: [
      (13, 8, 1, "too little"), (1, 8, 1, "too little"), (15, 1, 1, "too little"),
      (12, 8, 3, "too little"), (0, 8, 1, "excessive"), (21, 8, 1, "excessive"),
      (20, 8, 17, "excessive"),
      (17, 1, 1, "excessive"), (47, 1023, 16, "excessive"), (255, .max, .max, "excessive"),
    ] as [(UInt8, UInt32, UInt32, String)])
  func slotOfSuchACostIsRefusedWithoutWorkAndInNobodysWay(
    _ n: UInt8, _ r: UInt32, _ p: UInt32, _ words: String
  ) throws {
    try make(cost(n, r, p))
    let object = try vault.openElsewhere()
    #expect(try object.slots[1].kind == .passphrase(cost(n, r, p)))
    let error = try failure { try object.unlock(with: .passphrase(Secret("other".utf8))) }
    #expect(error.corrupted?.hasPrefix("The key slot \"other\" requires ") == true)
    #expect(error.corrupted?.contains(words) == true)
    // The passphrase of a later slot opens the vault.
    try object.unlock(with: .passphrase(passphrase))
    #expect(try object.text("a") == "value")
    // The slot does not count as usable in removals, and can be removed itself.
    let here = vault.open()
    try here.removeSlot(3)
    #expect(try failure { try here.removeSlot(1) }.invalid?.contains("last one") == true)
    try here.removeSlot(2)
  }

  @Test(arguments: [(13, 8, 1), (15, 1, 3), (4, 8, 1), (10, 1, 16)] as [(UInt8, UInt32, UInt32)])
  func slotOfTooLittleCostIsNotMade(_ n: UInt8, _ r: UInt32, _ p: UInt32) throws {
    let object = vault.open()
    try object.addSlot(.passphrase(passphrase), named: "person", cost: .minimum)
    let bytes = try vault.bytes
    let cost = cost(n, r, p)
    for refused in [
      { try object.setPassphrase(passphrase, cost: cost) },
      { try object.addSlot(.passphrase(passphrase), named: "other", cost: cost) },
      { try object.changePassphrase(from: passphrase, to: passphrase, cost: cost) },
    ] as [() throws -> Void] {
      #expect(try failure(refused).invalid?.contains("N × r × p must be at least 2^17") == true)
    }
    #expect(try vault.bytes == bytes)
  }

  @Test(arguments: [(14, 8, 1), (15, 1, 4), (13, 8, 2), (13, 1, 16)] as [(UInt8, UInt32, UInt32)])
  func slotOfJustEnoughCostOpens(_ n: UInt8, _ r: UInt32, _ p: UInt32) throws {
    try vault.open().setPassphrase(passphrase, cost: cost(n, r, p))
    try vault.open().unlock(with: .passphrase(passphrase))
  }

  @Test func oneDamagedPassphraseSlotLeavesTheOthers() throws {
    let object = vault.open()
    for name in ["first", "second", "third"] {
      try object.addSlot(.passphrase(Secret(name.utf8)), named: name, cost: .minimum)
    }
    try vault.changeSlots { slot in
      if slot.name != "second" { return [slot] }
      let damaged = KeySlot.SealedUserKey(
        salt: slot.key.salt, check: slot.key.check, sealed: slot.key.sealed.dropLast(20))
      return [
        KeySlot(id: slot.id, name: slot.name, kind: slot.kind, key: damaged)
      ]
    }
    let other = try vault.openElsewhere()
    let error = try failure { try other.unlock(with: .passphrase(Secret("second".utf8))) }
    #expect(
      error.corrupted == "The key slot \"second\" is damaged, although the passphrase is correct")
    for name in ["first", "third"] { try other.unlock(with: .passphrase(Secret(name.utf8))) }
    #expect(throws: SecretStoreError.wrongPassphrase) {
      try other.unlock(with: .passphrase(Secret("fourth".utf8)))
    }
  }
}
