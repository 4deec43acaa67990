import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// The slots of a vault: listing, adding, renaming and removing.
struct VaultSlotTests {
  private let vault = TestVault()

  private func filledVault() throws -> SecretVault {
    let object = try vault.openAsService()
    try object.add("value", account: "a")
    return object
  }

  @Test func newVaultHasASlotForItsDevice() throws {
    #expect(try vault.open().slots.isEmpty)
    #expect(try FileSystem().status(of: vault.path) == nil)
    #expect(try filledVault().slots == [.init(id: 1, name: "this device", kind: .device)])
  }

  @Test(arguments: KeyKind.allCases)
  func onlyAddedKeyUnlocksElsewhere(_ kind: KeyKind) throws {
    let object = try filledVault()
    let slot = try object.addSlot(kind.key(1, in: vault), named: "added", cost: .minimum)
    #expect(slot.id == 2 && slot.name == "added")
    #expect(try object.slots.map(\.name) == ["this device", "added"])
    let bytes = try vault.bytes
    let elsewhere = try vault.openElsewhere()
    #expect(try elsewhere.slots.last == slot)
    // Only a credential opens the vault without `unlock(with:)`.
    #expect(try elsewhere.isLocked == (kind != .credential))
    elsewhere.lock()
    let error = try failure { try elsewhere.unlock(with: kind.key(2, in: vault)) }
    #expect(kind.refusal(error), "\(error)")
    #expect(try elsewhere.isLocked)
    #expect(try vault.bytes == bytes)
    try elsewhere.unlock(with: kind.key(1, in: vault))
    #expect(try elsewhere.texts() == ["a": "value"])
    // The device slot is unchanged.
    #expect(try vault.open().texts() == ["a": "value"])
  }

  @Test(arguments: KeyKind.allCases)
  func keyWithoutASlotIsAnError(_ kind: KeyKind) throws {
    let object = try vault.openAsService()
    let key = try kind.key(1, in: vault)
    for account in ["a", "b"] {
      expectInvalid("The vault has no ") { try object.unlock(with: key) }
      #expect(try !object.isLocked)
      try object.add("value", account: account)
    }
  }

  @Test(arguments: KeyKind.allCases)
  func damagedSlotIsNotAWrongKeyOrDamagedVault(_ kind: KeyKind) throws {
    let object = try filledVault()
    try object.addSlot(try kind.key(1, in: vault), named: "added", cost: .minimum)
    try vault.damageSlots(of: kind)
    let elsewhere = try vault.openElsewhere()
    let wrong = try failure { try elsewhere.unlock(with: try kind.key(2, in: vault)) }
    #expect(kind.refusal(wrong), "\(wrong)")
    let right = try failure { try elsewhere.unlock(with: try kind.key(1, in: vault)) }
    #expect(right.corrupted?.hasPrefix("The key slot \"added\" is damaged, although the ") == true)
    if kind == .credential {
      #expect(try failure { _ = try vault.openElsewhere().texts() } == right)
    }
    #expect(try elsewhere.verify().damage == [])
    // Other keys are not affected.
    try object.addSlot(.passphrase("later"), named: "later", cost: .minimum)
    try elsewhere.unlock(with: .passphrase("later"))
    let here = try vault.openAsService()
    try here.expectSound(["a": "value"])
    try here.removeSlot(2)
    #expect(try here.slots.map(\.id) == [1, 3])
  }

  @Test func deviceSlotIsAddedOnce() throws {
    let object = try filledVault()
    let error = try failure { try object.addSlot(.device, named: "again") }
    #expect(error.invalid == "This device already has slot 1, \"this device\"")
    try object.setPassphrase("passphrase", cost: .minimum)
    let slot = try object.addSlot(.device, named: "laptop")
    #expect(slot.kind == .device && slot.name == "laptop")
    #expect(try vault.open().text("a") == "value")
    #expect(throws: SecretStoreError.self) { try object.addSlot(.device, named: "again") }
  }

  @Test func eachDeviceHasItsOwnSlot() throws {
    let object = try filledVault()
    try object.addSlot(.passphrase("shared"), named: "shared", cost: .minimum)
    let elsewhere = try vault.openElsewhere()
    #expect(throws: SecretStoreError.otherDevice("The vault")) {
      try elsewhere.unlock(with: .device)
    }
    try elsewhere.unlock(with: .passphrase("shared"))
    #expect(try elsewhere.addSlot(.device, named: "elsewhere").id == 3)
    for object in [vault.open(), try vault.openElsewhere()] {
      #expect(try object.text("a") == "value")
      object.lock()
      try object.unlock(with: .device)
    }
    // The slot of the other device does not open the vault here.
    try elsewhere.removeSlot(2)
    expectInvalid("is the last one that opens the vault on this device") {
      try elsewhere.removeSlot(3)
    }
    try elsewhere.removeSlot(1)
    #expect(throws: SecretStoreError.otherDevice("The vault")) { try vault.open().texts() }
  }

  @Test(arguments: [UnlockKey.device, .passphrase("passphrase")])
  func addedSlotCreatesVault(_ key: UnlockKey) throws {
    let object = vault.open()
    let slot = try object.addSlot(key, named: "first", cost: .minimum)
    #expect(try object.slots.last == slot)
    #expect(try object.slots.map(\.kind).first == .device)
    if case .device = key { #expect(try object.slots == [slot]) }
    try object.add("value", account: "a")
    #expect(try vault.open().text("a") == "value")
  }

  @Test func slotNameHas1To200Bytes() throws {
    let object = try filledVault()
    try object.addSlot(.keyFile(try vault.keyFile(1)), named: "stick")
    let longest = String(repeating: "ñ", count: 100)
    for slot: UInt32 in [1, 2] { try object.renameSlot(slot, to: longest) }
    #expect(try object.slots.map(\.name) == [longest, longest])
    #expect(try vault.open().slots == object.slots)
    #expect(try vault.open().text("a") == "value")
    #expect(throws: SecretStoreError.invalid("The vault has no slot 3")) {
      try object.renameSlot(3, to: "none")
    }
    let bytes = try vault.bytes
    for name in ["", String(repeating: "n", count: 201), String(repeating: "ñ", count: 101)] {
      for refused in [
        { try object.renameSlot(1, to: name) },
        { try object.addSlot(.passphrase("p"), named: name) },
        { _ = try object.addRecoveryCode(named: name) },
      ] as [() throws -> Void] {
        expectInvalid("1 to 200 bytes", from: refused)
      }
    }
    #expect(try vault.bytes == bytes)
  }

  @Test(arguments: KeyKind.allCases)
  func removedSlotIsNotInTheFile(_ kind: KeyKind) throws {
    let object = try filledVault()
    let slot = try object.addSlot(try kind.key(1, in: vault), named: "added", cost: .minimum)
    let sealed = try #require(try object.withContents { $0.keys.table?.slots.last?.encoded })
    #expect(try vault.bytes.firstRange(of: sealed) != nil)
    try object.removeSlot(slot.id)
    #expect(try vault.bytes.firstRange(of: sealed) == nil)
    #expect(try object.slots.count == 1)
    expectInvalid("The vault has no ") {
      try vault.openElsewhere().unlock(with: kind.key(1, in: vault))
    }
    #expect(throws: SecretStoreError.invalid("The vault has no slot 2")) {
      try object.removeSlot(slot.id)
    }
  }

  @Test func lastSlotCannotBeRemoved() throws {
    let object = try filledVault()
    let bytes = try vault.bytes
    let error = try failure { try object.removeSlot(1) }
    #expect(
      "\(error)" == "Slot 1 is the last one that opens the vault on this device: add another.")
    #expect(try vault.bytes == bytes)
    let (slot, code) = try object.addRecoveryCode(named: "paper")
    try object.removeSlot(1)
    #expect(try object.slots == [slot])
    #expect(throws: SecretStoreError.self) { try object.removeSlot(slot.id) }
    let other = vault.open()
    expectLocked { try other.texts() }
    try other.unlock(with: .recoveryCode(code))
    #expect(try other.text("a") == "value")
  }

  @Test func newSlotHasAnUnusedNumber() throws {
    let object = try filledVault()
    try vault.changeSlots { slot in
      [slot, KeySlot(id: .max, name: "last", kind: .unknown(type: 9))]
    }
    #expect(try object.addSlot(.keyFile(try vault.keyFile(1)), named: "stick").id == 2)
    #expect(try object.addSlot(.keyFile(try vault.keyFile(2)), named: "stick").id == 3)
  }

  /// The key of these items is sealed under the device's key, which must exist.
  @Test func passphraseWithoutDeviceKeyKeepsItemsThatNeedIt() throws {
    try filledVault().addSlot(.keyFile(try vault.keyFile(1)), named: "stick")
    let elsewhere = try vault.openElsewhere()
    try elsewhere.unlock(with: .keyFile(try vault.keyFile(1)))
    try elsewhere.addSlot(.passphrase("p"), named: "p", cost: .minimum)
    try elsewhere.add("bound", account: "bound", .whenPasscodeSetThisDeviceOnly)
    let again = try vault.openElsewhere()
    try again.unlock(with: .passphrase("p"))
    #expect(try again.text("bound") == "bound")
  }

  // Several objects, as of several processes.

  @Test func unlockedVaultStaysSoAndSeesSlotChanges() throws {
    let object = try filledVault()
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
    _ = try filledVault()
    try onThreads(8) { number in
      let object = vault.open()
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
