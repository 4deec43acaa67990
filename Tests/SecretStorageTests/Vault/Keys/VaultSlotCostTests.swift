import FoundationEssentials
import StorageInternals
import Testing

@testable import SecretStorage

/// The allowed cost of a passphrase's slot, in vaults from an untrusted writer.
struct VaultSlotCostTests {
  private let vault = TestVault()
  private let passphrase: Secret = "passphrase"

  private func cost(_ n: UInt8, _ r: UInt32, _ p: UInt32) -> ScryptCost {
    ScryptCost(logarithmicCost: n, blockSize: r, parallelization: p)
  }

  /// A slot of the passphrase "other", before the one of another passphrase.
  @Test(
    arguments: [
      (13, 8, 1, "too little"), (1, 8, 1, "too little"), (15, 1, 1, "too little"),
      (12, 8, 3, "too little"), (0, 8, 1, "excessive"), (10, 0, 1, "excessive"),
      (10, 8, 0, "excessive"), (21, 8, 1, "excessive"), (20, 8, 17, "excessive"),
      (17, 1, 1, "excessive"), (10, 8, 4_000_000_000, "excessive"), (47, 1023, 16, "excessive"),
      (63, 1023, 1, "excessive"), (255, .max, .max, "excessive"),
    ] as [(UInt8, UInt32, UInt32, String)])
  func storedCostOutsideOfItsLimitsIsNotComputed(
    _ n: UInt8, _ r: UInt32, _ p: UInt32, _ words: String
  ) throws {
    let here = vault.open()
    try here.add("value", account: "a")
    for name in ["other", "passphrase"] {
      try here.addSlot(.passphrase(Secret(name.utf8)), named: name, cost: .minimum)
    }
    let stored = SlotKind.passphrase(cost(n, r, p))
    try vault.changeSlots { slot in
      var slot = slot
      if slot.name == "other" { slot.kind = stored }
      return [slot]
    }
    let object = try vault.openElsewhere()
    #expect(try object.slots[1].kind == stored)
    for refused in [
      { try object.unlock(with: .passphrase("other")) },
      { try TestVault().open().importItems(from: vault.file, passphrase: "other") },
    ] as [() throws -> Void] {
      let error = try failure(refused)
      #expect(error.corrupted?.hasPrefix("The key slot \"other\" requires ") == true)
      #expect(error.corrupted?.contains(words) == true)
    }
    // The passphrase of a later slot opens the vault.
    try object.unlock(with: .passphrase(passphrase))
    #expect(try object.text("a") == "value")
    // The slot does not count as usable in removals, and can be removed itself.
    try here.removeSlot(3)
    #expect(try failure { try here.removeSlot(1) }.invalid?.contains("last one") == true)
    try here.removeSlot(2)
  }

  @Test(
    arguments: [
      (13, 8, 1, false), (15, 1, 3, false), (4, 8, 1, false), (10, 1, 16, false), (0, 8, 1, true),
      (10, 0, 1, true), (10, 8, 0, true), (10, 8, 17, true), (21, 8, 1, true), (47, 8, 1, true),
      (63, 8, 1, true), (255, 8, 1, true), (10, 1 << 20, 1, true),
    ] as [(UInt8, UInt32, UInt32, Bool)])
  func newCostOutsideOfItsLimitsIsAnError(
    _ n: UInt8, _ r: UInt32, _ p: UInt32, isExcessive: Bool
  ) throws {
    let object = try vault.protected(by: passphrase)
    let bytes = try vault.bytes
    let cost = cost(n, r, p)
    let words = isExcessive ? "exceeds 1 GiB" : "N × r × p must be at least 2^17"
    for refused in [
      { try object.setPassphrase(passphrase, cost: cost) },
      { try object.addSlot(.passphrase(passphrase), named: "other", cost: cost) },
      { try object.changePassphrase(from: passphrase, to: passphrase, cost: cost) },
      { try object.export(to: vault.export, passphrase: passphrase, cost: cost) },
    ] as [() throws -> Void] {
      #expect(try failure(refused).invalid?.contains(words) == true)
    }
    #expect(try vault.bytes == bytes)
    #expect(try FileSystem().status(of: vault.export.path) == nil)
  }

  /// By scrypt itself, which needs enough memory for these parameters.
  @Test(arguments: [(14, 8, 1), (15, 1, 4), (13, 8, 2), (13, 1, 16)] as [(UInt8, UInt32, UInt32)])
  func slotOfTheLowestCostUnlocks(_ n: UInt8, _ r: UInt32, _ p: UInt32) throws {
    let cipher = OpenSSLCipher()
    try vault.open(cipher: cipher).setPassphrase(passphrase, cost: cost(n, r, p))
    try vault.open(cipher: cipher).unlock(with: .passphrase(passphrase))
  }
}
