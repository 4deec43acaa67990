import CipherSupport
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Numbers at the limits of their types, in records with right digests.
struct VaultForgedNumberTests {
  /// The cleartext numbers of a record.
  enum Field: CaseIterable { case sequence, logStart }

  private static let numbers: [UInt64] =
    Campaign.isFull
    ? [0, 1 << 63 - 1, 1 << 63, .max - 8, .max - 4, .max - 2, .max - 1, .max]
    : [1 << 63, .max]
  private let vault = TestVault()

  /// Replaces a number and updates the record's digest; if chained, also all later predecessors.
  private static func forge(
    _ frames: [ArraySlice<UInt8>], _ field: Field, of place: Int, _ number: UInt64, chained: Bool
  ) throws -> [UInt8]? {
    var payloads = frames.map { Array($0.dropFirst(Frame.overhead)) }
    if field == .logStart, payloads[place][0] != RecordHeader.Kind.keys.rawValue { return nil }
    let offset = field == .sequence ? 1 : RecordHeader.size + 32 + 16
    var encoded: [UInt8] = []
    encoded.append(littleEndian: number)
    payloads[place].replaceSubrange(offset..<(offset + 8), with: encoded)
    for next in payloads.indices.dropFirst(chained ? place + 1 : payloads.count) {
      let digest = try OpenSSLCipher().digest(payloads[next - 1][...])
      payloads[next].replaceSubrange(9..<41, with: digest)
    }
    return try TestVault.file(of: payloads.map(TestVault.frame))
  }

  /// Calls everything that reads or writes; only crashes and hangs matter.
  private func useAll(_ object: SecretVault, _ what: String) {
    for account in ["a", "b", "c"] {
      do throws(SecretStoreError) {
        let found = try object.text(account)
        #expect(found == "value \(account)", "\(what): \(account)")
      } catch {
        // An error is correct as well.
      }
    }
    let writes: [() throws -> Void] = [
      { try object.add("new", account: "new") }, { try object.change("a", to: "value a") },
      { try object.compact() }, { try object.rotateKeys() }, { try object.export(of: vault) },
    ]
    for write in writes { #expect(throws: SecretStoreError.self, "\(what)") { try write() } }
    _ = try? object.items(matching: .all)
    _ = try? object.slots
    _ = object.diagnose()
  }

  @Test(arguments: Field.allCases, numbers)
  func forgedNumberIsDamageAndSoundRecordsBeforeItStay(_ field: Field, _ number: UInt64) throws {
    let object = vault.open()
    for account in ["a", "b", "c"] { try object.add("value \(account)", account: account) }
    let frames = TestVault.frames(of: try vault.bytes)
    #expect(frames.count == 5)
    let state = try vault.rememberedState()
    for (place, chained) in frames.indices.flatMap({ [($0, true), ($0, false)] }) {
      guard let file = try Self.forge(frames, field, of: place, number, chained: chained) else {
        continue
      }
      let what = "\(field) \(number) of record \(place)\(chained ? ", chained" : "")"
      if place == 0, chained {
        // Both key tables are damaged.
        try vault.replace(by: file)
        useAll(vault.open(), what)
        #expect(try vault.open().verify().isSound == false, "\(what)")
        continue
      }
      for isRemembered in [true, false] {
        if isRemembered { try vault.restoreState(state) } else { try vault.forget() }
        try vault.replace(by: file)
        useAll(vault.open(), what)
        #expect(try vault.open().verify().isSound == false, "\(what)")
        let saved = try vault.open().salvageableItems().map(\.item.identity.account)
        #expect(Set(saved).isSuperset(of: ["a", "b", "c"].prefix(max(0, place - 2))), "\(what)")
      }
      #expect(try vault.open().repair().isEmpty == false, "\(what)")
      let texts = try vault.open().texts()
      for account in ["a", "b", "c"].prefix(max(0, place - 2)) {
        #expect(texts[account] == "value \(account)", "\(what)")
      }
      try vault.open().add("after", account: "after")
    }
  }

  @Test(arguments: Field.allCases, numbers)
  func forgedNumberInALockedVaultOrAnImportIsRefused(_ field: Field, _ number: UInt64) throws {
    let object = vault.open()
    try object.setPassphrase(TestVault.passphrase, cost: .cheap)
    for account in ["a", "b", "c"] { try object.add("value \(account)", account: account) }
    let frames = TestVault.frames(of: try vault.bytes)
    let other = TestVault()
    for (place, chained) in frames.indices.flatMap({ [($0, true), ($0, false)] }) {
      guard let file = try Self.forge(frames, field, of: place, number, chained: chained) else {
        continue
      }
      try vault.replace(by: file)
      try vault.forget()
      let locked = vault.open()
      useAll(locked, "locked, \(field) \(number) of record \(place)")
      do {
        try locked.unlock(with: .passphrase(TestVault.passphrase))
      } catch {
        #expect((error as? SecretStoreError)?.corrupted != nil, "\(error)")
      }
      useAll(locked, "unlocked, \(field) \(number) of record \(place)")
      expectError("corrupted") {
        try other.open().importItems(from: vault.file, passphrase: TestVault.passphrase)
      }
    }
  }

  /// Contents sealed by a passphrase's owner are authentic, even such numbers.
  @Test func nothingIsWrittenAfterTheLastNumber() throws {
    let cipher = OpenSSLCipher()
    let last = RecordHeader.sequences.upperBound - 1
    var keys = VaultKeys()
    let user = try Secret.random(32)
    keys.ring.user = user
    var table = KeyTable(vaultID: try .random(KeyTable.idSize), slots: [], keys: [])
    table.slots = [
      try KeySlot(
        id: 1, name: "forged", sealing: user,
        under: SlotKey.passphrase(TestVault.passphrase).stretched(
          cost: .cheap, for: user, cipher, checking: {}),
        by: table.sealer(cipher))
    ]
    for purpose in [KeyPurpose.secrets(.whenUnlocked), .attributes, .alwaysAttributes] {
      try keys.makeKey(purpose, in: &table, cipher)
    }
    let log = VaultSealer(vaultID: table.vaultID, cipher: cipher)
    var head = ChainHead(
      sequence: last - 2, digest: ChainHead.none.digest, subject: .keys, previousDigest: [])
    var frames: [ArraySlice<UInt8>] = []
    for _ in 0..<2 {
      let record = try log.keys(table, after: head, logStart: last - 1, under: keys.ring)
      frames.append(try TestVault.frame(of: record.payload))
      head = ChainHead(
        sequence: head.sequence + 1, digest: record.digest, subject: .keys,
        previousDigest: head.digest)
    }
    try vault.replace(by: TestVault.file(of: frames))
    let bytes = try vault.bytes
    let object = vault.open()
    try object.unlock(with: .passphrase(TestVault.passphrase))
    #expect(try object.verify().isSound)
    #expect(try failure { try object.add("new", account: "new") }.invalid != nil)
    #expect(try failure { try object.compact() }.invalid != nil)
    #expect(try vault.bytes == bytes)
    #expect(try object.texts().isEmpty)
    let other = TestVault()
    let report = try other.open().importItems(
      from: vault.file, passphrase: TestVault.passphrase)
    #expect(report.entries.isEmpty)
  }

  /// The revision, the dates, and the secret's revision, by their offsets in an item.
  @Test(
    arguments: [16, 24, 32, 46],
    [1 << 63 - 1, 1 << 63, .max - 1, .max, 1 << 62 + 1] as [UInt64])
  func sealedNumbersOfAnItemAreRefused(_ offset: Int, _ number: UInt64) throws {
    // As signed dates, these are small.
    if [24, 32].contains(offset), number >= .max - 1 { return }
    if [16, 46].contains(offset), number < 1 << 63 { return }
    let object = vault.open()
    try object.setPassphrase(TestVault.passphrase, cost: .cheap)
    try object.add("value", account: "before")
    let name = try SecretItem.ID.random()
    let forger = vault.open(cipher: PatchingCipher(name: name, offset: offset, number: number))
    try forger.unlock(with: .passphrase(TestVault.passphrase))
    try vault.plant(.generic(account: "forged"), Secret([1]), named: name, in: forger)
    let reader = vault.open()
    try reader.unlock(with: .passphrase(TestVault.passphrase))
    #expect(try reader.verify().isSound == false)
    #expect(throws: SecretStoreError.self) { try reader.add("new", account: "new") }
    let saved = try reader.salvageableItems().map(\.item.identity.account)
    #expect(saved == ["before"])
    let other = TestVault()
    expectError("corrupted") {
      try other.open().importItems(from: vault.file, passphrase: TestVault.passphrase)
    }
    #expect(try reader.repair().isEmpty == false)
    #expect(try reader.text("before") == "value")
    try reader.add("new", account: "new")
  }
}

/// A cipher that seals a different number in one item.
private struct PatchingCipher: ForwardingCipher {
  let cipher = OpenSSLCipher()
  let name: SecretItem.ID
  let offset: Int
  let number: UInt64

  func seal(
    _ plaintext: Secret, with key: Secret, authenticating context: [UInt8]
  ) throws(SecretStoreError) -> [UInt8] {
    var bytes = unsafe plaintext.withUnsafeBytes { unsafe Array($0) }
    var encoded: [UInt8] = []
    encoded.append(name)
    if let place = bytes.firstRange(of: encoded)?.lowerBound, place + offset + 8 <= bytes.count {
      encoded = []
      encoded.append(littleEndian: number)
      bytes.replaceSubrange((place + offset)..<(place + offset + 8), with: encoded)
    }
    return try cipher.seal(Secret(bytes), with: key, authenticating: context)
  }
}
