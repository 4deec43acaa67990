import Testing

@testable import SecretStorage

/// The slots that a rotation keeps, removes or refuses to remove.
struct VaultRotationSlotTests {
  private let vault = TestVault()

  private func expectRefusal(
    _ words: String, sourceLocation: SourceLocation = #_sourceLocation, of rotate: () throws -> Void
  ) throws {
    let before = try vault.bytes
    expectInvalid(words, sourceLocation: sourceLocation, from: rotate)
    #expect(try vault.bytes == before, sourceLocation: sourceLocation)
  }

  private func slots(_ object: SecretVault) throws -> [String] {
    try CapturedKeys(object).table.slots.map { "\($0.id) \($0.name)" }
  }

  @Test func keptSlotsAreUnchanged() throws {
    let object = try vault.openWithItem()
    try object.addPassphrases("one", "two")
    let file = UnlockKey.keyFile(try vault.keyFile(7))
    try object.addSlot(file, named: "stick")
    let keys: [UnlockKey] = [.passphrase("two"), file, .passphrase("one")]
    try object.rotateKeys(keeping: keys)
    #expect(try slots(object) == ["1 this device", "2 one", "3 two", "4 stick"])
    for key in [UnlockKey.device] + keys {
      let other = vault.open()
      other.lock()
      try other.unlock(with: key)
      #expect(try other.texts() == ["a": "value"])
    }
    #expect(try CapturedKeys(object).table.slots.compactMap(\.kind.cost) == [.cheap, .cheap])
  }

  @Test func slotWithoutItsKeyIsNamed() throws {
    let object = try vault.openWithItem()
    try object.addPassphrases("one", "two")
    let laptop = try vault.unlocked(by: "one", state: vault.path("elsewhere"))
    try laptop.addSlot(.device, named: "laptop")
    try object.rewrite { contents in
      contents.keys.table?.slots.append(
        KeySlot(id: 200, name: "future", kind: .unknown(type: 99), unknown: [1, 2]))
    }
    try expectRefusal("\"two\", \"laptop\", \"future\"") {
      try object.rotateKeys(keeping: [.passphrase("one")])
    }
    try object.rotateKeys(keeping: [.passphrase("one")], removingOtherSlots: true)
    #expect(try slots(object) == ["1 this device", "2 one"])
    #expect(try vault.open().texts() == ["a": "value"])
  }

  @Test func mistypedPassphraseLosesNoSlot() throws {
    let object = vault.open()
    try object.addPassphrases("one")
    let before = try vault.bytes
    for removing in [false, true] {
      expectError(.wrongPassphrase) {
        try object.rotateKeys(keeping: [.passphrase("One")], removingOtherSlots: removing)
      }
    }
    #expect(try vault.bytes == before)
    try expectRefusal("no credential named x") {
      try object.rotateKeys(keeping: [.credential(named: "x")], removingOtherSlots: true)
    }
  }

  @Test func rotationNeedsAKeyThatOpensTheVault() throws {
    let object = try vault.protected()
    for removing in [false, true] {
      try expectRefusal("No key would open the vault") {
        try object.rotateKeys(removingOtherSlots: removing)
      }
    }
  }

  @Test func givenCredentialKeepsItsSlot() throws {
    try vault.giveCredential("vault.key", 9)
    let object = try vault.openWithItem(asService: true)
    try object.addSlot(.credential(named: "vault.key"), named: "service")
    try object.rewrite { $0.keys.table?.slots.removeFirst() }
    let other = try vault.openAsService()
    #expect(try other.texts() == ["a": "value"])
    try object.rotateKeys()
    #expect(try slots(object) == ["2 service"])
    // The credential unlocks the open object again.
    #expect(try other.texts() == ["a": "value"])
    expectLocked { try vault.open().texts() }
  }

  @Test(arguments: [true, false])
  func copyWithBoundItemsIsNotRotatedElsewhere(_ isBound: Bool) throws {
    let object = try vault.protected()
    try object.add("value", account: "a", isBound ? .whenUnlockedThisDeviceOnly : .always)
    let copy = try vault.unlocked(state: vault.path("elsewhere"))
    guard !isBound else {
      let before = try vault.bytes
      expectError(.otherDevice("An item that is whenUnlockedThisDeviceOnly")) { try copy.rotate() }
      #expect(try vault.bytes == before)
      return
    }
    try copy.rotate()
    // The vault is bound to this device now.
    try copy.add("bound", account: "b", .alwaysThisDeviceOnly)
    #expect(try vault.openElsewhere().texts() == ["a": "value", "b": "bound"])
    try object.unlock(with: .tests)
    #expect(try object.text("a") == "value")
    #expect(throws: SecretStoreError.self) { try object.text("b") }
  }
}
