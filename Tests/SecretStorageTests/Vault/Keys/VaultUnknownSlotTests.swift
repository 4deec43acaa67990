import Testing

@testable import SecretStorage

/// Slots of a newer version.
struct VaultUnknownSlotTests {
  private let vault = TestVault()
  private let slot = KeySlot(
    id: 7, name: "tomorrow", kind: .unknown(type: 77), unknown: [1, 2, 3, 4, 5])

  private func make() throws -> SecretVault {
    let object = vault.open()
    try object.add("value", account: "a")
    try vault.changeSlots { [$0, slot] }
    return object
  }

  private func expectKept(_ name: String = "tomorrow", by object: SecretVault) throws {
    let slots = try object.withContents { $0.keys.table?.slots ?? [] }
    var found = try #require(slots.first { $0.id == 7 })
    #expect(found.name == name)
    found.name = slot.name
    #expect(found.encoded == slot.encoded)
  }

  @Test func isListed() throws {
    let object = try make()
    #expect(try object.slots.last == .init(id: 7, name: "tomorrow", kind: .unknown(type: 77)))
    let ways = object.diagnose().findings.first { $0.subject == "Opened by" }
    #expect(ways?.text == "this device's key, a key of a kind that requires a newer version")
  }

  @Test func isKeptByWhateverIsDone() throws {
    let object = try make()
    let added = try object.addSlot(.passphrase(Secret("p".utf8)), named: "p", cost: .minimum)
    try expectKept(by: vault.open())
    try object.changePassphrase(from: Secret("p".utf8), to: Secret("q".utf8), cost: .minimum)
    try expectKept(by: vault.open())
    try object.renameSlot(7, to: "renamed")
    try expectKept("renamed", by: vault.open())
    try object.removeSlot(added.id)
    try object.compact()
    try expectKept("renamed", by: vault.open())
    #expect(try vault.open().text("a") == "value")
    try object.removeSlot(7)
    #expect(try object.slots.map(\.id) == [1])
  }

  @Test func doesNotCountAsOneThatOpens() throws {
    let object = try make()
    let error = try failure { try object.removeSlot(1) }
    #expect(error.invalid?.contains("is the last one that opens the vault on this device") == true)
  }

  @Test func goesWithTheOthersWhenOnlyAPassphraseOrDeviceIsToOpenTheVault() throws {
    let object = try make()
    try object.setPassphrase(Secret("p".utf8), cost: .minimum)
    #expect(try object.slots.map(\.kind) == [.passphrase(.minimum)])
    try vault.changeSlotsUnlocked(of: object) { [$0, slot] }
    try object.removePassphrase()
    #expect(try object.slots.map(\.kind) == [.device])
  }

  @Test func vaultOfUnknownSlotsAloneIsLocked() throws {
    let object = try make()
    try vault.changeSlotsUnlocked(of: object) { $0.id == 7 ? [$0] : [] }
    let other = vault.open()
    #expect(throws: SecretStoreError.locked) { try other.texts() }
    #expect(throws: SecretStoreError.locked) { try other.unlock() }
    #expect(other.diagnose().findings.contains { $0.text == "yes: unlock it with a newer version" })
  }
}
