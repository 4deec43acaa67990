import CipherSupport
import Testing

@testable import SecretStorage

/// Key tables by a writer without a key of the vault, or with a key that a rotation replaced.
struct VaultForgedTableTests {
  private static let revoked = Secret("a passphrase of last year".utf8)

  private static let texts = ["after": "value", "always": "value"]

  private let vault = TestVault()

  /// Makes a vault with a passphrase, and an item of each kind that a locked process can read.
  private func filled(alsoFor another: Secret? = nil) throws -> SecretVault {
    let object = try vault.protected()
    if let another { try object.addSlot(.passphrase(another), named: "another", cost: .cheap) }
    try object.add("value", account: "after", .afterFirstUnlock)
    try object.add("value", account: "always", .always)
    return object
  }

  /// Every two values of the tag, the accessibility and the reader's knowledge occur together.
  @Test(arguments: TableForgery.Slots.allCases, TableForgery.Keys.allCases)
  func passphraseOfAForgedTableIsWrong(
    _ slots: TableForgery.Slots, _ keys: TableForgery.Keys
  ) async throws {
    let number = slots.rawValue + keys.rawValue
    let forgery = TableForgery(
      slots: slots, keys: keys, tag: TableForgery.Tag.allCases[(number + 2) % 3])
    let person = ScriptedConversation("the forger's passphrase")
    let authenticator = PassphraseAuthenticator(attempts: 1, conversation: person)
    let owner = vault.open(authenticator: authenticator)
    try owner.setPassphrase(TestVault.passphrase, cost: .cheap)
    let access = AccessControl(
      number % 2 == 0 ? .always : .afterFirstUnlock, flags: .devicePasscode)
    let item = try owner.add(
      "value", identity: .generic(service: "campaign", account: "guarded"),
      attributes: ItemAttributes(accessControl: access))
    try owner.add("value", account: "after", .afterFirstUnlock)
    owner.lock()
    var file = ForgedFile(try vault.bytes)
    for _ in 0..<2 { try file.append(forgery, from: file.records[0]) }
    try TestVault.append(Array(file.encoded.dropFirst(try vault.bytes.count)), to: vault.path)
    let knowsTheVault = (slots.rawValue + keys.rawValue / 2) % 2 == 0
    if !knowsTheVault { try vault.forget() }
    let locked = knowsTheVault ? owner : vault.open(authenticator: authenticator)
    #expect(throws: SecretStoreError.self) { try locked.item("none") }
    #expect(try !locked.slots.contains { $0.id == 99 })
    #expect(try !locked.verify().isSound)
    #expect(try !locked.isPassphrase(ForgerKeys.passphrase))
    #expect(try locked.isPassphrase(TestVault.passphrase))
    expectError(.wrongPassphrase) { try locked.unlock(with: .passphrase(ForgerKeys.passphrase)) }
    await #expect(throws: SecretStoreError.self) {
      let context = AuthenticationContext(reason: "Because", reuse: .seconds(60))
      let proof = try await context.authorize(access, with: locked.authenticator)
      let reading = try locked.secret(of: item.id, authorizedBy: proof)
      Issue.record("The forger reads \(reading == nil ? "nothing" : "the secret").")
    }
    try locked.unlock(with: .tests)
    #expect(try !locked.repair().isEmpty)
    #expect(try locked.verify().isSound)
    #expect(try locked.text("after") == "value")
    #expect(try vault.open().slots.count == 1)
  }

  /// The forged file has no original key table left.
  @Test func foreignVaultTrustsNoTableBeforeItIsUnlocked() throws {
    try filled().lock()
    let elsewhere = try vault.openElsewhere()
    expectLocked { try elsewhere.item("none") }
    #expect(try !elsewhere.verify().isKeyTableProven)
    expectLocked { try elsewhere.isPassphrase(TestVault.passphrase) }
    #expect(try !elsewhere.isPassphrase(ForgerKeys.passphrase))
    try elsewhere.unlock(with: .tests)
    #expect(try elsewhere.isPassphrase(TestVault.passphrase))
    #expect(try elsewhere.item("none") == nil)
    #expect(try elsewhere.verify().isKeyTableProven)
    elsewhere.lock()
    #expect(try elsewhere.isPassphrase(TestVault.passphrase))
    #expect(try elsewhere.text("after") == "value")
  }

  @Test(arguments: [1, 3, KeyTable.linkLimit])
  func removedPassphraseIsWrongAfterRotation(_ rotations: Int) throws {
    let object = try filled(alsoFor: Self.revoked)
    let locked = try vault.unlocked()
    #expect(try locked.isPassphrase(Self.revoked))
    locked.lock()
    for _ in 0..<rotations { try object.rotateKeys(keeping: [.tests], removingOtherSlots: true) }
    for reader in [locked, vault.open()] {
      #expect(try !reader.isPassphrase(Self.revoked))
      #expect(try reader.isPassphrase(TestVault.passphrase))
      #expect(try reader.text("always") == "value")
      try reader.unlock(with: .tests)
      try reader.expectSound(Self.texts)
    }
  }

  /// An old copy of the file and the old passphrase give the old user key.
  @Test(arguments: [true, false]) func tableOfAnEarlierUserKeyIsRefused(isLocked: Bool) throws {
    let object = try filled(alsoFor: Self.revoked)
    try object.addSlot(.device, named: "device")
    let captured = try CapturedKeys(object)
    try object.rotateKeys(keeping: [.tests], removingOtherSlots: true)
    let reader = vault.open()
    if isLocked { reader.lock() }
    #expect(try reader.text("always") == "value")
    let present = try vault.bytes
    try vault.replace(by: replayed(captured, after: present))
    try vault.forget()
    for _ in 0..<2 {
      #expect(throws: SecretStoreError.self) { try reader.text("always") }
      #expect(throws: SecretStoreError.self) { try reader.isPassphrase(Self.revoked) }
      #expect(throws: SecretStoreError.self) { try reader.add("secret", account: "new") }
      #expect(throws: SecretStoreError.self) { try reader.unlock(with: .passphrase(Self.revoked)) }
    }
    // The process recovers when the right file is back.
    try vault.replace(by: present)
    try reader.unlock(with: .tests)
    try reader.expectSound(Self.texts)
  }

  /// Returns a file of tables under earlier keys, behind the newest record, as if compacted.
  private func replayed(
    _ keys: CapturedKeys, user: Secret? = nil, after present: [UInt8]
  ) throws -> [UInt8] {
    var last = try #require(TestVault.frames(of: present).last).dropFirst(Frame.overhead)
    var ring = KeyRing()
    ring.user = user ?? keys.user
    for key in keys.table.keys {
      let secret = try #require(keys.keys[key.id])
      _ = try ring.add(secret, for: key.purpose, id: key.id, by: keys.table.sealer)
    }
    func head() throws -> ChainHead {
      ChainHead(
        sequence: FieldReader.record(last)[number: "sequence"],
        digest: try TestCipher().digest(last)[...], subject: .block, previousDigest: [])
    }
    let start = try head().sequence + 1
    var frames: [ArraySlice<UInt8>] = []
    for _ in 0..<2 {
      last = try keys.table.sealer
        .keys(keys.table, after: head(), logStart: start, under: ring).payload
      frames.append(try TestVault.frame(of: last))
    }
    return try TestVault.file(of: frames)
  }

  /// The slots open the vault's own keys, and only the tags are wrong.
  @Test func changedTableWithoutItsTagIsDamage() throws {
    try filled().addSlot(.device, named: "device")
    var table = ForgedFile(try vault.bytes).records[0].encoded
    let name = try #require(table.firstRange(of: Array("device".utf8)))
    table[name.lowerBound] ^= 1
    try vault.replace(by: TestVault.file(of: [TestVault.frame(of: table)]))
    try vault.forget()
    expectError("corrupted", saying: "no intact key table") { try vault.open().slots }
  }

  /// Whoever has the keys that this machine opens alone can make the links, but not the tag.
  @Test func linkedTableWithoutATagUnderTheUserKeyIsDamage() throws {
    let object = try filled()
    let captured = try CapturedKeys(object)
    try vault.replace(by: replayed(captured, user: .random(32), after: vault.bytes))
    try vault.forget()
    #expect(throws: SecretStoreError.self) { try object.text("after") }
    let reader = vault.open()
    expectError("corrupted") {
      try reader.unlock(with: .tests)
      return try reader.text("after")
    }
  }

  @Test func rotationsBeyondTheLinkLimitNeedAcceptance() throws {
    let object = try filled()
    let locked = vault.open()
    #expect(try locked.text("always") == "value")
    for _ in 0...KeyTable.linkLimit { try object.rotateKeys(keeping: [.tests]) }
    #expect(throws: SecretStoreError.self) { try locked.text("always") }
    try locked.acceptRollback()
    #expect(try locked.text("always") == "value")
    try locked.unlock(with: .tests)
    #expect(try locked.text("after") == "value")
  }
}
