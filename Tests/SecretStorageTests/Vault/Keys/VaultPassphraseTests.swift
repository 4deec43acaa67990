import CipherSupport
import FoundationEssentials
import StorageInternals
import Testing

@testable import SecretStorage

/// A vault's passphrase: its form, its replacement and its removal.
struct VaultPassphraseTests {
  private let vault = TestVault()

  @Test func passphraseHas1To65536Bytes() throws {
    let object = vault.open()
    func passphrase(_ count: Int) -> Secret {
      Secret([UInt8](repeating: UInt8(ascii: "p"), count: count))
    }
    let right = passphrase(65536)
    for passphrase in [passphrase(1), right] {
      try object.setPassphrase(passphrase, cost: .minimum)
      _ = try vault.unlocked(by: passphrase)
    }
    let bytes = try vault.bytes
    for (passphrase, sentence) in [
      (Secret([]), "A passphrase must not be empty"),
      (
        passphrase(65537),
        "A passphrase can have at most 64 KiB, not 65537 bytes: use a key file"
      ),
    ] {
      for refused in [
        { try object.setPassphrase(passphrase, cost: .minimum) },
        { try object.addSlot(.passphrase(passphrase), named: "other", cost: .minimum) },
        { try object.unlock(with: .passphrase(passphrase)) },
        { try object.changePassphrase(from: right, to: passphrase, cost: .minimum) },
        { try object.changePassphrase(from: passphrase, to: right, cost: .minimum) },
        { try object.export(to: vault.export, passphrase: passphrase, cost: .minimum) },
      ] as [() throws -> Void] {
        #expect(try failure(refused) == .invalid(sentence))
      }
    }
    #expect(try vault.bytes == bytes)
    #expect(try FileSystem().status(of: vault.export.path) == nil)
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
    try object.setPassphrase(TestVault.passphrase, cost: .minimum)
    var bytes = try vault.bytes
    let tables = try TestVault.frames(of: bytes).map { $0.dropFirst(Frame.overhead) }
      .filter { $0.first == RecordHeader.Kind.keys.rawValue }.map {
        try KeyTableRecord($0, TestCipher()).table
      }
    #expect(tables.count == 2 && tables.allSatisfy { !$0.hasDevice && $0.slots.count == 1 })
    // With both key tables damaged, there is no earlier one to fall back to.
    for frame in TestVault.frames(of: bytes).prefix(2) { bytes[frame.endIndex - 1] ^= 1 }
    try vault.replace(by: bytes)
    #expect(throws: SecretStoreError.self) { try vault.open().texts() }
    #expect(try failure { _ = try vault.open().slots }.corrupted != nil)
  }

  @Test func secondPassphraseReplacesTheFirst() throws {
    let object = try vault.protected(by: "first")
    #expect(try !object.isLocked)
    try object.add("value", account: "a")
    let other = vault.open()
    #expect(try other.isLocked)
    try object.setPassphrase("second", cost: .minimum)
    #expect(throws: SecretStoreError.wrongPassphrase) {
      try other.unlock(with: .passphrase("first"))
    }
    try other.unlock(with: .passphrase("second"))
    #expect(try other.text("a") == "value")
  }

  enum Removal: CaseIterable { case ofPassphrases, ofSlots, byRotation }

  @Test(arguments: Removal.allCases)
  func itemsOfARemovedPassphraseAreNotInTheFile(_ removal: Removal) throws {
    let object = try vault.protected()
    try object.addSlot(.passphrase("second"), named: "second", cost: .minimum)
    let slots = try object.slots
    try object.addSlot(.device, named: "device")
    let accessibility = Accessibility.whenPasscodeSetThisDeviceOnly
    try object.add("value", account: "kept")
    try object.add("value", account: "gone", accessibility)
    switch removal {
    case .ofPassphrases: try object.removePassphrase()
    case .ofSlots:
      try object.removeSlot(slots[0].id)
      #expect(try object.texts() == ["kept": "value", "gone": "value"])
      #expect(try vault.open().text("gone") == "value")
      try object.removeSlot(slots[1].id)
    case .byRotation: try object.rotateKeys(removingOtherSlots: true)
    }
    for reader in [object, vault.open()] { #expect(try reader.texts() == ["kept": "value"]) }
    if removal == .ofPassphrases {
      // Two key tables, and the one block of items.
      #expect(TestVault.frames(of: try vault.bytes).count == 3)
    }
    let purposes = try CapturedKeys(object).table.keys.map(\.purpose)
    #expect(!purposes.contains(.secrets(accessibility)))
    #expect(try !object.hasPassphrase)
    let sentence = "\(accessibility), because the vault has no passphrase"
    #expect(throws: SecretStoreError.unsupported(sentence)) {
      try object.add("value", account: "more", accessibility)
    }
    object.lock()
    try object.unlock()
    #expect(try object.texts() == ["kept": "value"])
  }

  /// The second passphrase's key must not reuse the number of the first one's, which another
  /// process still has in memory.
  @Test func passphraseThatIsSetAgainHasANewKey() throws {
    let object = try vault.protected()
    let other = try vault.unlocked()
    try other.add("first", account: "first", .whenPasscodeSetThisDeviceOnly)
    try object.removePassphrase()
    try object.setPassphrase(TestVault.passphrase, cost: .minimum)
    try object.add("second", account: "second", .whenPasscodeSetThisDeviceOnly)
    #expect(try other.text("second") == "second")
    try other.add("third", account: "third", .whenPasscodeSetThisDeviceOnly)
    #expect(try vault.unlocked().texts() == ["second": "second", "third": "third"])
  }
}
