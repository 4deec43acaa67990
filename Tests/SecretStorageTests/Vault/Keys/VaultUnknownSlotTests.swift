import Testing

@testable import SecretStorage

/// Slots of a newer version.
struct VaultUnknownSlotTests {
  private let vault = TestVault()
  private let slot = KeySlot(
    id: 7, name: "tomorrow", kind: .unknown(type: 77), unknown: [1, 2, 3, 4, 5])

  private func make() throws -> SecretVault {
    let object = try vault.openWithItem()
    try vault.changeSlots { [$0, slot] }
    return object
  }

  private func expectKept(_ name: String = "tomorrow") throws {
    let slots = try vault.open().withContents { $0.keys.table?.slots ?? [] }
    var found = try #require(slots.first { $0.id == 7 })
    #expect(found.name == name)
    found.name = slot.name
    #expect(found.encoded == slot.encoded)
  }

  @Test func unknownSlotIsListedButDoesNotUnlock() throws {
    let object = try make()
    #expect(try object.slots.last == .init(id: 7, name: "tomorrow", kind: .unknown(type: 77)))
    let ways = "this device's key, a key of a kind that requires a newer version"
    #expect(object.diagnose()["Opened by"] == ways)
    let error = try failure { try object.removeSlot(1) }
    #expect(error.invalid?.contains("is the last one that opens the vault on this device") == true)
    try vault.changeSlotsUnlocked(of: object) { $0.id == 7 ? [$0] : [] }
    let other = vault.open()
    expectLocked { try other.texts() }
    expectLocked { try other.unlock() }
    let text = "yes: unlock it with a newer version of Locket"
    #expect(other.diagnose().findings.contains { $0.text == text })
  }

  @Test func changesKeepUnknownSlot() throws {
    let object = try make()
    let added = try object.addSlot(.passphrase("p"), named: "p", cost: .minimum)
    try expectKept()
    try object.changePassphrase(from: "p", to: "q", cost: .minimum)
    try expectKept()
    try object.renameSlot(7, to: "renamed")
    try expectKept("renamed")
    try object.removeSlot(added.id)
    try object.compact()
    try expectKept("renamed")
    #expect(try vault.open().text("a") == "value")
    try object.removeSlot(7)
    #expect(try object.slots.map(\.id) == [1])
  }

  @Test func settingOrRemovingPassphraseRemovesUnknownSlot() throws {
    let object = try make()
    try object.setPassphrase("p", cost: .minimum)
    #expect(try object.slots.map(\.kind) == [.passphrase(.minimum)])
    try vault.changeSlotsUnlocked(of: object) { [$0, slot] }
    try object.removePassphrase()
    #expect(try object.slots.map(\.kind) == [.device])
  }
}
