import Testing

@testable import SecretStorage

/// The slots that a rotation keeps, removes or refuses to remove.
struct VaultRotationSlotTests {
  private let vault = TestVault()

  private func expectRefusal(
    _ words: String, sourceLocation: SourceLocation = #_sourceLocation,
    of rotate: () throws -> Void
  ) throws {
    let before = try vault.bytes
    expectInvalid(words, sourceLocation: sourceLocation, from: rotate)
    #expect(try vault.bytes == before, sourceLocation: sourceLocation)
  }

  private func add(_ names: String..., to object: SecretVault) throws {
    for name in names {
      try object.addSlot(.passphrase(Secret(name.utf8)), named: name, cost: .cheap)
    }
  }

  private func slots(_ object: SecretVault) throws -> [String] {
    try CapturedKeys(object).table.slots.map { "\($0.id) \($0.name)" }
  }

  @Test func keptSlotsAreUnchanged() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    try add("one", "two", to: object)
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
    let costs = try CapturedKeys(object).table.slots.compactMap(\.kind.cost)
    #expect(costs == [.cheap, .cheap])
  }

  @Test func slotWithoutItsKeyIsNamed() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    try add("one", "two", to: object)
    let laptop = try vault.openElsewhere()
    try laptop.unlock(with: .passphrase("one"))
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
    try add("one", to: object)
    let before = try vault.bytes
    for removing in [false, true] {
      #expect(throws: SecretStoreError.wrongPassphrase) {
        try object.rotateKeys(keeping: [.passphrase("One")], removingOtherSlots: removing)
      }
    }
    #expect(try vault.bytes == before)
    try expectRefusal("The vault has no credential") {
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
    let object = try vault.openAsService()
    try object.add("value", account: "a")
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
    let copy = try vault.openElsewhere()
    try copy.unlock(with: .passphrase(TestVault.passphrase))
    guard !isBound else {
      let before = try vault.bytes
      let what = "An item that is whenUnlockedThisDeviceOnly"
      #expect(throws: SecretStoreError.otherDevice(what)) { try copy.rotate() }
      #expect(try vault.bytes == before)
      return
    }
    try copy.rotate()
    // The vault is bound to this device now.
    try copy.add("bound", account: "b", .alwaysThisDeviceOnly)
    #expect(try vault.openElsewhere().text("b") == "bound")
    #expect(try vault.openElsewhere().text("a") == "value")
    try object.unlock(with: .passphrase(TestVault.passphrase))
    #expect(try object.text("a") == "value")
    #expect(throws: SecretStoreError.self) { try object.text("b") }
  }
}
