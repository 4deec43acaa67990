import CipherSupport
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

  /// Adds slots to an open vault.
  private func add(
    _ slots: [(name: String, key: SlotKey)], to object: SecretVault
  ) throws(SecretStoreError) {
    try object.rewrite { contents throws(SecretStoreError) in
      guard var table = contents.keys.table, let user = contents.keys.ring.user else { return }
      for (number, slot) in slots.enumerated() {
        table.slots.append(
          try KeySlot(
            id: UInt32(number + 100), name: slot.name, sealing: user,
            under: slot.key.stretched(
              cost: .cheap, for: nil, contents.cipher, checking: {}),
            by: table.sealer(contents.cipher)))
      }
      contents.keys.table = table
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
    try add(
      [
        ("one", .passphrase(Secret("one".utf8))), ("two", .passphrase(Secret("two".utf8))),
        ("stick", SlotKey(kind: .keyFile, secret: Secret(repeatElement(7, count: 40)))),
      ], to: object)
    let keys: [UnlockKey] = [
      .passphrase(Secret("two".utf8)), .keyFile(file), .passphrase(Secret("one".utf8)),
    ]
    try object.rotateKeys(keeping: keys)
    #expect(try slots(object) == ["1 this device", "100 one", "101 two", "102 stick"])
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
    try add(
      [
        ("one", .passphrase(Secret("one".utf8))), ("two", .passphrase(Secret("two".utf8))),
        ("laptop", .device(Secret(repeatElement(1, count: 32)))),
      ], to: object)
    try object.rewrite { contents in
      contents.keys.table?.slots.append(
        KeySlot(id: 200, name: "future", kind: .unknown(type: 99), unknown: [1, 2]))
    }
    try expectInvalid("\"two\", \"laptop\", \"future\"") {
      try object.rotateKeys(keeping: [.passphrase(Secret("one".utf8))])
    }
    try object.rotateKeys(
      keeping: [.passphrase(Secret("one".utf8))], removingOtherSlots: true)
    #expect(try slots(object) == ["1 this device", "100 one"])
    #expect(try vault.open().texts() == ["a": "value"])
  }

  @Test func mistypedPassphraseLosesNoSlot() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    try add([("one", .passphrase(passphrase))], to: object)
    let before = try vault.bytes
    for removing in [false, true] {
      #expect(throws: SecretStoreError.wrongPassphrase) {
        try object.rotateKeys(
          keeping: [.passphrase(Secret("Correct horse".utf8))], removingOtherSlots: removing)
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
    func open() -> SecretVault {
      SecretVault(cipher: TestCipher()) { [path = vault.path, state = vault.statePath] in
        VaultLocation(
          path: path, stateDirectory: state, cipher: TestCipher(),
          credentialsDirectory: directory)
      }
    }
    let object = open()
    try object.add("value", account: "a")
    try add(
      [
        (
          "service",
          SlotKey(
            kind: .credential(named: "vault.key"), secret: Secret(repeatElement(9, count: 32)))
        )
      ], to: object)
    try object.rewrite { $0.keys.table?.slots.removeFirst() }
    let other = open()
    #expect(try other.texts() == ["a": "value"])
    try object.rotateKeys()
    #expect(try slots(object) == ["100 service"])
    // The credential unlocks the open object again.
    #expect(try other.texts() == ["a": "value"])
    #expect(throws: SecretStoreError.locked) { try vault.open().texts() }
  }

  @Test func passcodeItemsEndWithTheLastPassphrase() throws {
    let object = vault.open()
    try object.setPassphrase(passphrase, cost: .cheap)
    try object.add("value", account: "kept")
    try object.add("value", account: "gone", .whenPasscodeSetThisDeviceOnly)
    try add([("device", try UnlockKey.device.slotKey(object.location.device))], to: object)
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
