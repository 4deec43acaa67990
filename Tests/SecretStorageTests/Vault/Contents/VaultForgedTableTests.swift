import FoundationEssentials
import StorageInternals
import Testing

@testable import SecretStorage

/// Key tables by a writer of the file without a key of the vault, or with a key that a rotation
/// replaced.
struct VaultForgedTableTests {
  private static let stranger = Secret("the stranger's passphrase".utf8)
  private static let revoked = Secret("a passphrase of last year".utf8)

  private let vault = TestVault()
  private let cipher = OpenSSLCipher()

  /// The authentication of the forged table.
  enum Tag: CaseIterable {
    case random, ownUserKey, ownKeys
  }

  /// Makes a vault with a passphrase, and an item of each kind that a locked process can read.
  private func filled(slots: [Secret] = [TestVault.passphrase]) throws -> SecretVault {
    let object = vault.open(authenticator: PassphraseAuthenticator())
    try object.setPassphrase(slots[0], cost: .cheap)
    for passphrase in slots.dropFirst() {
      try object.addSlot(.passphrase(passphrase), named: "another", cost: .cheap)
    }
    try object.add("value", account: "after", .afterFirstUnlock)
    try object.add("value", account: "always", .always)
    return object
  }

  /// Returns the file with an added table, whose only slot accepts a stranger's passphrase.
  private func forged(by tag: Tag) throws -> [UInt8] {
    let bytes = try vault.bytes
    let user = try Secret.random(32)
    let frames = TestVault.frames(of: bytes)
    let last = try #require(frames.last).dropFirst(Frame.overhead)
    let first = try KeyTableRecord(try #require(frames.first).dropFirst(Frame.overhead))
    var table = first.table
    var ring = KeyRing()
    ring.user = user
    if tag == .ownKeys {
      for (place, key) in table.keys.enumerated() {
        table.keys[place] = try ring.add(
          .random(32), for: key.purpose, id: key.id, by: table.sealer(cipher))
      }
    }
    table.slots = [try strangersSlot(for: user, in: table)]
    var reader = RecordReader(last)
    let header = try RecordHeader(&reader)
    let head = ChainHead(
      sequence: header.sequence, digest: try cipher.digest(last)[...], subject: .block,
      previousDigest: [])
    let record = try VaultSealer(vaultID: table.vaultID, cipher: cipher)
      .keys(table, after: head, logStart: first.logStart, under: ring)
    var payload = Array(record.payload)
    if tag == .random {
      payload.replaceSubrange((payload.count - 16)..., with: [UInt8](repeating: 7, count: 16))
    }
    return try bytes + TestVault.frame(of: payload)
  }

  private func strangersSlot(for user: Secret, in table: KeyTable) throws -> KeySlot {
    try KeySlot(
      id: 7, name: "passphrase", sealing: user,
      under: SlotKey.passphrase(Self.stranger).stretched(
        cost: .cheap, for: user, cipher, checking: {}),
      by: table.sealer(cipher))
  }

  @Test(arguments: Tag.allCases, [true, false])
  func strangersPassphraseIsWrong(_ tag: Tag, knowsTheVault: Bool) async throws {
    let object = try filled()
    _ = try object.add(
      Secret("guarded".utf8), identity: .generic(service: "campaign", account: "guarded"),
      attributes: ItemAttributes(
        accessControl: AccessControl(.afterFirstUnlock, flags: .devicePasscode)))
    object.lock()
    let bytes = try forged(by: tag)
    try vault.replace(by: bytes)
    if !knowsTheVault { try vault.forget() }
    let locked = knowsTheVault ? object : vault.open()
    #expect(throws: SecretStoreError.self) { try locked.item("none") }
    #expect(try !locked.slots.contains { $0.id == 7 })
    #expect(try !locked.verify().isSound)
    #expect(try !locked.isPassphrase(Self.stranger))
    #expect(try locked.isPassphrase(TestVault.passphrase))
    #expect(throws: SecretStoreError.wrongPassphrase) {
      try locked.unlock(with: .passphrase(Self.stranger))
    }
    let conversation = ScriptedConversation("the stranger's passphrase")
    let authenticator = PassphraseAuthenticator(
      for: locked, attempts: 1, conversation: conversation)
    await #expect(throws: SecretStoreError.self) {
      try await authenticator.authenticate(
        AuthenticationRequest(reason: "to read", accepting: .passcode))
    }
    try await locked.unlock(with: .passphrase(TestVault.passphrase))
    #expect(try locked.repair().count == 1)
    #expect(try locked.verify().isSound)
    #expect(try locked.text("after") == "value")
    #expect(try vault.open().slots.count == 1)
  }

  /// The forged file has no original key table left.
  @Test func vaultThatAnotherMachineWroteAsksForNothingBeforeItIsUnlocked() throws {
    try filled().lock()
    let elsewhere = SecretVault(
      fileURL: vault.file, stateDirectory: vault.directory.appending(path: "elsewhere"),
      authenticator: nil)
    #expect(throws: SecretStoreError.locked) { try elsewhere.item("none") }
    #expect(try !elsewhere.verify().isKeyTableProven)
    #expect(throws: SecretStoreError.locked) { try elsewhere.isPassphrase(TestVault.passphrase) }
    #expect(try !elsewhere.isPassphrase(Self.stranger))
    try elsewhere.unlock(with: .passphrase(TestVault.passphrase))
    #expect(try elsewhere.isPassphrase(TestVault.passphrase))
    #expect(try elsewhere.item("none") == nil)
    #expect(try elsewhere.verify().isKeyTableProven)
    elsewhere.lock()
    #expect(try elsewhere.isPassphrase(TestVault.passphrase))
    #expect(try elsewhere.text("after") == "value")
  }

  @Test(arguments: [1, 3, KeyTable.linkLimit])
  func passphraseThatARotationTookAwayIsWrongAtOnce(_ rotations: Int) throws {
    let object = try filled(slots: [TestVault.passphrase, Self.revoked])
    let locked = vault.open()
    try locked.unlock(with: .passphrase(TestVault.passphrase))
    #expect(try locked.isPassphrase(Self.revoked))
    locked.lock()
    for _ in 0..<rotations {
      try object.rotateKeys(keeping: [.passphrase(TestVault.passphrase)], removingOtherSlots: true)
    }
    for (name, reader) in [("locked before", locked), ("opened after", vault.open())] {
      #expect(try !reader.isPassphrase(Self.revoked), "\(name)")
      #expect(try reader.isPassphrase(TestVault.passphrase), "\(name)")
      #expect(try reader.text("always") == "value", "\(name)")
      try reader.unlock(with: .passphrase(TestVault.passphrase))
      #expect(try reader.text("after") == "value", "\(name)")
      #expect(try reader.verify().isSound, "\(name)")
    }
  }

  /// An old copy of the file and the old passphrase give the old user key.
  @Test(arguments: [true, false], [1, 2])
  func tableOfAnEarlierUserKeyIsRefused(isLocked: Bool, version: Int) throws {
    let object = try filled(slots: [TestVault.passphrase, Self.revoked])
    try object.addSlot(.device, named: "device")
    let captured = try CapturedKeys(object)
    try object.rotateKeys(keeping: [.passphrase(TestVault.passphrase)], removingOtherSlots: true)
    let reader = vault.open()
    if isLocked { reader.lock() }
    #expect(try reader.text("always") == "value")
    let present = try vault.bytes
    try vault.replace(by: replayed(captured, after: present, version))
    try vault.forget()
    for _ in 0..<2 {
      #expect(throws: SecretStoreError.self) { try reader.text("always") }
      #expect(throws: SecretStoreError.self) { try reader.isPassphrase(Self.revoked) }
      #expect(throws: SecretStoreError.self) { try reader.add("secret", account: "new") }
      #expect(throws: SecretStoreError.self) { try reader.unlock(with: .passphrase(Self.revoked)) }
    }
    // The process recovers when the right file is back.
    try vault.replace(by: present)
    try reader.unlock(with: .passphrase(TestVault.passphrase))
    #expect(try reader.text("after") == "value")
    #expect(try reader.verify().isSound)
  }

  /// Returns a file of tables under earlier keys, behind the newest record, as if compacted.
  private func replayed(
    _ keys: CapturedKeys, after present: [UInt8], _ version: Int
  ) throws -> [UInt8] {
    let last = try #require(TestVault.frames(of: present).last).dropFirst(Frame.overhead)
    var reader = RecordReader(last)
    var head = ChainHead(
      sequence: try RecordHeader(&reader).sequence, digest: try cipher.digest(last)[...],
      subject: .block, previousDigest: [])
    var ring = KeyRing()
    ring.user = keys.user
    for key in keys.table.keys {
      _ = try ring.add(
        try #require(keys.keys[key.id]), for: key.purpose, id: key.id, by: keys.table.sealer(cipher)
      )
    }
    let log = VaultSealer(vaultID: keys.table.vaultID, cipher: cipher)
    let start = head.sequence + 1
    var frames: [ArraySlice<UInt8>] = []
    for _ in 0..<2 {
      let record = try log.keys(keys.table, after: head, logStart: start, under: ring)
      let payload =
        version == 1 ? try inVersion1(record.payload, user: keys.user) : Array(record.payload)
      frames.append(try TestVault.frame(of: payload))
      head = ChainHead(
        sequence: head.sequence + 1, digest: try cipher.digest(payload[...])[...], subject: .keys,
        previousDigest: [])
    }
    return try TestVault.file(of: frames)
  }

  /// A file that begins with a version 1 table of the vault's keys under a stranger's slot; a
  /// process with no other knowledge detects it by the keys that the device's secret opens.
  @Test func strangersTableOfVersion1IsDamageForALockedProcess() throws {
    try filled().addSlot(.device, named: "device")
    let first = try #require(TestVault.frames(of: vault.bytes).first).dropFirst(Frame.overhead)
    var ring = KeyRing()
    let user = try Secret.random(32)
    ring.user = user
    var table = try KeyTableRecord(first).table
    table.slots = [try strangersSlot(for: user, in: table)]
    let head = ChainHead(
      sequence: 1, digest: try cipher.digest(first)[...], subject: .block, previousDigest: [])
    let record = try VaultSealer(vaultID: table.vaultID, cipher: cipher)
      .keys(table, after: head, logStart: 2, under: ring)
    try vault.replace(
      by: TestVault.file(of: [TestVault.frame(of: inVersion1(record.payload, user: user))]))
    try vault.forget()
    let error = try failure { _ = try vault.open().isPassphrase(Self.stranger) }
    #expect(error.corrupted?.contains("does not belong to this vault") == true, "\(error)")
    #expect(throws: SecretStoreError.self) {
      try vault.open().unlock(with: .passphrase(Self.stranger))
    }
  }

  /// Returns a table with the tag under the user key alone.
  private func inVersion1(_ payload: ArraySlice<UInt8>, user: Secret) throws -> [UInt8] {
    let head = payload.prefix(RecordHeader.size + 32 + 16 + 8)
    var reader = RecordReader(payload[head.endIndex...])
    _ = try reader.countedBytes()
    let table = payload[..<reader.remaining.startIndex]
    let key = try cipher.deriveKey(
      from: user, salt: payload[RecordHeader.size..<(RecordHeader.size + 32)],
      purpose: "locket key table")
    return try table + cipher.seal(Secret([]), with: key, authenticating: Array(table))
  }

  @Test func moreRotationsThanAVaultTellsOfAreAcceptedByTheApp() throws {
    let object = try filled()
    let locked = vault.open()
    #expect(try locked.text("always") == "value")
    for _ in 0...KeyTable.linkLimit {
      try object.rotateKeys(keeping: [.passphrase(TestVault.passphrase)])
    }
    #expect(throws: SecretStoreError.self) { try locked.text("always") }
    try locked.acceptRollback()
    #expect(try locked.text("always") == "value")
    try locked.unlock(with: .passphrase(TestVault.passphrase))
    #expect(try locked.text("after") == "value")
  }
}
