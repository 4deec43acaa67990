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
    let longest = Secret(String(repeating: "p", count: 65536).utf8)
    let longer = Secret(longest.bytes + [1])
    for passphrase in ["p", longest] {
      try object.setPassphrase(passphrase, cost: .minimum)
      _ = try vault.unlocked(by: passphrase)
    }
    expectError(.wrongPassphrase) { try vault.unlocked(by: "p") }
    let bytes = try vault.bytes
    for (passphrase, sentence) in [
      ("", "A passphrase must not be empty"),
      (longer, "A passphrase can have at most 64 KiB, not 65537 bytes: use a key file"),
    ] as [(Secret, String)] {
      for refused in [
        { try object.setPassphrase(passphrase, cost: .minimum) },
        { try object.addSlot(.passphrase(passphrase), named: "other", cost: .minimum) },
        { try object.unlock(with: .passphrase(passphrase)) },
        { try object.changePassphrase(from: longest, to: passphrase, cost: .minimum) },
        { try object.changePassphrase(from: passphrase, to: longest, cost: .minimum) },
        { try object.export(to: vault.export, passphrase: passphrase, cost: .minimum) },
      ] as [() throws -> Void] { #expect(try failure(refused) == .invalid(sentence)) }
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
    let error = SecretStoreError.wrongPassphrase
    expectError(error) { try object.unlock(with: .passphrase(Secret(given.utf8))) }
    #expect("\(error)".contains("accents, they may be encoded differently"))
    try object.unlock(with: .passphrase(Secret(set.utf8)))
  }

  @Test func passphraseReplacesDeviceSlotInTheFile() throws {
    try vault.openWithItem().setPassphrase(TestVault.passphrase, cost: .minimum)
    let frames = try vault.frames
    let tables = try frames.map { $0.dropFirst(Frame.overhead) }
      .filter { $0.first == RecordHeader.Kind.keys.rawValue }
      .map { try KeyTableRecord($0, TestCipher()).table }
    #expect(tables.count == 2 && tables.allSatisfy { !$0.hasDevice && $0.slots.count == 1 })
    // With both key tables damaged, there is no earlier one to fall back to.
    try vault.replaceChanging { for frame in frames.prefix(2) { $0[frame.endIndex - 1] ^= 1 } }
    #expect(throws: SecretStoreError.self) { try vault.open().texts() }
    expectError("corrupted") { try vault.open().slots }
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
      #expect(try vault.frames.count == 3)
    }
    #expect(try CapturedKeys(object).table.key(for: .secrets(accessibility)) == nil)
    #expect(try !object.hasPassphrase)
    let sentence = "\(accessibility), because the vault has no passphrase"
    expectError(.unsupported(sentence)) { try object.add("value", account: "more", accessibility) }
    object.lock()
    try object.unlock()
    #expect(try object.texts() == ["kept": "value"])
  }

  /// Another process still has the first passphrase's key, whose number must not be reused.
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
