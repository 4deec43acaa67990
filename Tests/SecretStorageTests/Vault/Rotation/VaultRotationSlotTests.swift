import FoundationEssentials
import StorageInternals
import Testing

@testable import SecretStorage

/// The slots that a rotation keeps, removes or refuses to remove.
struct VaultRotationSlotTests {
  private let vault = TestVault()
  private let passphrase = Secret("correct horse".utf8)

  private func expectInvalid(
    _ words: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ rotate: () throws -> Void
  ) throws {
    let before = try vault.bytes
    let error = try failure(sourceLocation: sourceLocation, rotate)
    #expect(error.invalid?.contains(words) == true, "\(error)", sourceLocation: sourceLocation)
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
    let file = URL(filePath: try vault.path("key"))
    try Data(repeating: 7, count: 40).write(to: file)
    try add("one", "two", to: object)
    try object.addSlot(.keyFile(file), named: "stick")
    let keys: [UnlockKey] = [
      .passphrase(Secret("two".utf8)), .keyFile(file), .passphrase(Secret("one".utf8)),
    ]
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
    try laptop.unlock(with: .passphrase(Secret("one".utf8)))
    try laptop.addSlot(.device, named: "laptop")
    try object.rewrite { contents in
      contents.keys.table?.slots.append(
        KeySlot(id: 200, name: "future", kind: .unknown(type: 99), unknown: [1, 2]))
    }
    try expectInvalid("\"two\", \"laptop\", \"future\"") {
      try object.rotateKeys(keeping: [.passphrase(Secret("one".utf8))])
    }
    try object.rotateKeys(
      keeping: [.passphrase(Secret("one".utf8))], removingOtherSlots: true)
    #expect(try slots(object) == ["1 this device", "2 one"])
    #expect(try vault.open().texts() == ["a": "value"])
  }

  @Test func mistypedPassphraseLosesNoSlot() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    try add("one", to: object)
    let before = try vault.bytes
    for removing in [false, true] {
      #expect(throws: SecretStoreError.wrongPassphrase) {
        try object.rotateKeys(
          keeping: [.passphrase(Secret("One".utf8))], removingOtherSlots: removing)
      }
    }
    try expectInvalid("no credential named x") {
      try object.rotateKeys(keeping: [.credential(named: "x")], removingOtherSlots: true)
    }
    #expect(try vault.bytes == before)
  }

  @Test func rotationNeedsAKeyThatOpensTheVault() throws {
    let object = vault.open()
    try object.setPassphrase(passphrase, cost: .cheap)
    try object.add("value", account: "a")
    for removing in [false, true] {
      try expectInvalid("No key would open the vault") {
        try object.rotateKeys(removingOtherSlots: removing)
      }
    }
  }

  @Test func givenCredentialKeepsItsSlot() throws {
    let directory = try vault.path("credentials")
    try FileSystem().makeDirectories(directory)
    try Data(repeating: 9, count: 32).write(to: URL(filePath: directory + "/vault.key"))
    let object = vault.open(credentials: directory)
    try object.add("value", account: "a")
    try object.addSlot(.credential(named: "vault.key"), named: "service")
    try object.rewrite { $0.keys.table?.slots.removeFirst() }
    let other = vault.open(credentials: directory)
    #expect(try other.texts() == ["a": "value"])
    try object.rotateKeys()
    #expect(try slots(object) == ["2 service"])
    // The credential unlocks the open object again.
    #expect(try other.texts() == ["a": "value"])
    #expect(throws: SecretStoreError.locked) { try vault.open().texts() }
  }

  @Test func passcodeItemsEndWithTheLastPassphrase() throws {
    let object = vault.open()
    try object.setPassphrase(passphrase, cost: .cheap)
    try object.add("value", account: "kept")
    try object.add("value", account: "gone", .whenPasscodeSetThisDeviceOnly)
    try object.addSlot(.device, named: "device")
    try object.rotateKeys(removingOtherSlots: true)
    #expect(try object.texts() == ["kept": "value"])
    #expect(try vault.open().texts() == ["kept": "value"])
    let purposes = try CapturedKeys(object).table.keys.map(\.purpose)
    #expect(!purposes.contains(.secrets(.whenPasscodeSetThisDeviceOnly)))
    #expect(throws: SecretStoreError.self) {
      try object.add("value", account: "more", .whenPasscodeSetThisDeviceOnly)
    }
  }

  @Test(arguments: [true, false])
  func copyWithBoundItemsIsNotRotatedElsewhere(_ isBound: Bool) throws {
    let object = vault.open()
    try object.setPassphrase(passphrase, cost: .cheap)
    try object.add("value", account: "a", isBound ? .whenUnlockedThisDeviceOnly : .always)
    let elsewhere = try vault.path("elsewhere")
    let copy = vault.open(state: elsewhere)
    try copy.unlock(with: .passphrase(passphrase))
    guard !isBound else {
      let before = try vault.bytes
      let what = "An item that is whenUnlockedThisDeviceOnly"
      #expect(throws: SecretStoreError.otherDevice(what)) {
        try copy.rotateKeys(keeping: [.passphrase(passphrase)])
      }
      #expect(try vault.bytes == before)
      return
    }
    try copy.rotateKeys(keeping: [.passphrase(passphrase)])
    // The vault is bound to this device now.
    try copy.add("bound", account: "b", .alwaysThisDeviceOnly)
    #expect(try vault.open(state: elsewhere).text("b") == "bound")
    #expect(try vault.open(state: elsewhere).text("a") == "value")
    try object.unlock(with: .passphrase(passphrase))
    #expect(try object.text("a") == "value")
    #expect(throws: SecretStoreError.self) { try object.text("b") }
  }
}
