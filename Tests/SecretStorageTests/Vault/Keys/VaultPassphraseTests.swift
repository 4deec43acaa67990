import StorageInternals
import Testing

@testable import SecretStorage

/// A vault's passphrase: its form, its replacement and its removal.
struct VaultPassphraseTests {
  private let vault = TestVault()
  private let passphrase: Secret = "correct horse"

  @Test func passphraseHas1To65536Bytes() throws {
    let object = vault.open()
    for count in [1, 65536] {
      let passphrase = Secret(repeatElement(UInt8(ascii: "p"), count: count))
      try object.setPassphrase(passphrase, cost: .minimum)
      try vault.open().unlock(with: .passphrase(passphrase))
    }
    let right = Secret(repeatElement(UInt8(ascii: "p"), count: 65536))
    let bytes = try vault.bytes
    for (count, sentence) in [
      (0, "A passphrase must not be empty"),
      (65537, "A passphrase can have at most 64 KiB, not 65537 bytes: use a key file"),
    ] {
      let passphrase = Secret(repeatElement(UInt8(ascii: "p"), count: count))
      for refused in [
        { try object.setPassphrase(passphrase, cost: .minimum) },
        { try object.addSlot(.passphrase(passphrase), named: "other", cost: .minimum) },
        { try object.unlock(with: .passphrase(passphrase)) },
        { try object.changePassphrase(from: right, to: passphrase, cost: .minimum) },
        { try object.changePassphrase(from: passphrase, to: right, cost: .minimum) },
      ] as [() throws -> Void] {
        #expect(try failure(refused) == .invalid(sentence))
      }
    }
    #expect(try vault.bytes == bytes)
  }

  /// Composed and decomposed accents look the same but differ in their bytes.
  @Test(arguments: [true, false])
  func otherNormalizationFormIsAWrongPassphrase(_ isComposed: Bool) throws {
    let composed = "Cr\u{E8}me br\u{FB}l\u{E9}e \u{D55C}"
    let decomposed = "Cre\u{300}me bru\u{302}le\u{301}e \u{1112}\u{1161}\u{11AB}"
    #expect(composed == decomposed)
    let (set, given) = isComposed ? (composed, decomposed) : (decomposed, composed)
    try vault.open().setPassphrase(Secret(set.utf8), cost: .minimum)
    let object = vault.open()
    let error = try failure { try object.unlock(with: .passphrase(Secret(given.utf8))) }
    #expect(error == .wrongPassphrase)
    #expect("\(error)".contains("accents, they may be encoded differently"))
    try object.unlock(with: .passphrase(Secret(set.utf8)))
  }

  @Test func passphraseReplacesDeviceSlotInTheFile() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    try object.setPassphrase(passphrase, cost: .minimum)
    let bytes = try vault.bytes
    let tables = try TestVault.frames(of: bytes).map { $0.dropFirst(Frame.overhead) }
      .filter { $0.first == RecordHeader.Kind.keys.rawValue }.map { try KeyTableRecord($0).table }
    #expect(tables.count == 2 && tables.allSatisfy { !$0.hasDevice && $0.slots.count == 1 })
    // With both key tables damaged, there is no earlier one to fall back to.
    var damaged = bytes
    for frame in TestVault.frames(of: bytes).prefix(2) { damaged[frame.endIndex - 1] ^= 1 }
    try vault.replace(by: damaged)
    #expect(throws: SecretStoreError.self) { try vault.open().texts() }
  }

  @Test func secondPassphraseReplacesTheFirst() throws {
    let object = vault.open()
    try object.setPassphrase(passphrase, cost: .minimum)
    #expect(try !object.isLocked)
    try object.add("value", account: "a")
    #expect(try vault.open().isLocked)
    try object.setPassphrase("other", cost: .minimum)
    let other = vault.open()
    #expect(throws: SecretStoreError.wrongPassphrase) {
      try other.unlock(with: .passphrase(passphrase))
    }
    try other.unlock(with: .passphrase("other"))
    #expect(try other.text("a") == "value")
  }

  @Test func itemsOfARemovedPassphraseAreNotInTheFile() throws {
    let object = vault.open()
    try object.setPassphrase(passphrase, cost: .minimum)
    try object.add("value", account: "kept")
    try object.add("value", account: "gone", .whenPasscodeSetThisDeviceOnly)
    try object.removePassphrase()
    #expect(try object.texts() == ["kept": "value"])
    #expect(try vault.open().texts() == ["kept": "value"])
    // Two key tables, and the one block of items.
    #expect(TestVault.frames(of: try vault.bytes).count == 3)
    object.lock()
    try object.unlock()
    #expect(try object.texts() == ["kept": "value"])
  }

  /// The second passphrase's key must not reuse the number of the first one's, which another
  /// process still has in memory.
  @Test func passphraseThatIsSetAgainHasANewKey() throws {
    let object = vault.open()
    try object.setPassphrase(passphrase, cost: .minimum)
    let other = vault.open()
    try other.unlock(with: .passphrase(passphrase))
    try other.add("first", account: "first", .whenPasscodeSetThisDeviceOnly)
    try object.removePassphrase()
    try object.setPassphrase(passphrase, cost: .minimum)
    try object.add("second", account: "second", .whenPasscodeSetThisDeviceOnly)
    #expect(try other.text("second") == "second")
    try other.add("third", account: "third", .whenPasscodeSetThisDeviceOnly)
    let third = vault.open()
    try third.unlock(with: .passphrase(passphrase))
    #expect(try third.texts() == ["second": "second", "third": "third"])
  }
}
