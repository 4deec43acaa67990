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
    : [0, 1 << 63, .max]
  private let vault = TestVault()

  /// Returns a file for each record with the field, and whether later predecessors are right.
  private static func forgeries(
    of bytes: [UInt8], _ field: Field, _ number: UInt64
  ) throws -> [(place: Int, isChained: Bool, file: [UInt8])] {
    let payloads = TestVault.frames(of: bytes).map { Array($0.dropFirst(Frame.overhead)) }
    #expect(payloads.count == 5)
    let offset = field == .sequence ? 1 : RecordHeader.size + 32 + 16
    var encoded: [UInt8] = []
    encoded.append(littleEndian: number)
    var forgeries: [(place: Int, isChained: Bool, file: [UInt8])] = []
    for place in payloads.indices {
      if field == .logStart, payloads[place][0] != RecordHeader.Kind.keys.rawValue { continue }
      var forged = payloads
      forged[place].replaceSubrange(offset..<(offset + 8), with: encoded)
      for isChained in [false, true] {
        for next in payloads.indices.dropFirst(isChained ? place + 1 : payloads.count) {
          forged[next].replaceSubrange(9..<41, with: try TestCipher().digest(forged[next - 1][...]))
        }
        forgeries.append((place, isChained, try TestVault.file(of: forged.map(TestVault.frame))))
      }
    }
    return forgeries
  }

  /// Calls everything that reads or writes; only crashes and hangs matter.
  private func useAll(_ object: SecretVault, _ what: Comment) {
    for account in ["a", "b", "c"] {
      // An error is correct as well.
      if case .success(let found) = Result(catching: { try object.text(account) }) {
        #expect(found == "value \(account)", what)
      }
    }
    let writes: [() throws -> Void] = [
      { try object.add("new", account: "new") }, { try object.change("a", to: "value a") },
      { try object.compact() }, { try object.rotateKeys() }, { try object.export(of: vault) },
    ]
    for write in writes { #expect(throws: SecretStoreError.self, what) { try write() } }
    _ = try? object.items(matching: .all)
    _ = try? object.slots
    _ = object.diagnose()
  }

  private func add(to object: SecretVault) throws {
    for account in ["a", "b", "c"] { try object.add("value \(account)", account: account) }
  }

  @Test(arguments: Field.allCases, numbers)
  func forgedNumberIsDamage(_ field: Field, _ number: UInt64) throws {
    try add(to: vault.open())
    let state = try vault.rememberedState()
    for (place, isChained, file) in try Self.forgeries(of: vault.bytes, field, number) {
      let what: Comment = "record \(place)\(isChained ? ", chained" : "")"
      try vault.replace(by: file)
      if place == 0, isChained {
        // Both key tables are damaged.
        useAll(vault.open(), what)
        #expect(try vault.open().verify().isSound == false, what)
        continue
      }
      for isRemembered in [true, false] {
        try vault.restoreState(isRemembered ? state : [:])
        useAll(vault.open(), what)
        #expect(try vault.open().verify().isSound == false, what)
        let saved = try vault.open().salvageableItems().map(\.item.identity.account)
        #expect(Set(saved).isSuperset(of: ["a", "b", "c"].prefix(max(0, place - 2))), what)
      }
      #expect(try vault.open().repair().isEmpty == false, what)
      let texts = try vault.open().texts()
      for account in ["a", "b", "c"].prefix(max(0, place - 2)) {
        #expect(texts[account] == "value \(account)", what)
      }
      try vault.open().add("after", account: "after")
    }
  }

  @Test(arguments: Field.allCases, numbers)
  func forgedNumberIsRefusedWhenLockedOrImported(_ field: Field, _ number: UInt64) throws {
    let object = vault.open()
    try object.setPassphrase(TestVault.passphrase, cost: .cheap)
    try add(to: object)
    let other = TestVault()
    for (place, _, file) in try Self.forgeries(of: vault.bytes, field, number) {
      try vault.replace(by: file)
      try vault.forget()
      let locked = vault.open()
      useAll(locked, "record \(place)")
      do {
        try locked.unlock(with: .passphrase(TestVault.passphrase))
      } catch SecretStoreError.corrupted {
        // Without the forged record, the vault may open.
      }
      useAll(locked, "record \(place)")
      expectError("corrupted") {
        try other.open().importItems(from: vault.file, passphrase: TestVault.passphrase)
      }
    }
  }

  /// Contents sealed by a passphrase's owner are authentic, even such numbers.
  @Test func lastNumberAllowsNoWrite() throws {
    let cipher = TestCipher()
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

  /// A sealed number of an item, by its offset.
  enum SealedNumber: Int, CaseIterable {
    case revision = 16
    case created = 24
    case modified = 32
    case secretRevision = 46

    var forged: [UInt64] {
      switch self {
      case .revision, .secretRevision: [1 << 63, .max - 1, .max]
      // As signed dates, these are far from the present.
      case .created, .modified: [1 << 62 + 1, 1 << 63 - 1, 1 << 63]
      }
    }
  }

  @Test(arguments: SealedNumber.allCases)
  func sealedNumbersOfAnItemAreRefused(_ field: SealedNumber) throws {
    for number in field.forged { try expectRefused(number, in: field) }
  }

  private func expectRefused(_ number: UInt64, in field: SealedNumber) throws {
    let vault = TestVault()
    try vault.open().setPassphrase(TestVault.passphrase, cost: .cheap)
    func unlocked(_ cipher: (any SecretCipher)? = nil) throws -> SecretVault {
      let object = vault.open(cipher: cipher)
      try object.unlock(with: .passphrase(TestVault.passphrase))
      return object
    }
    try unlocked().add("value", account: "before")
    let name = try SecretItem.ID.random()
    let forger = try unlocked(PatchingCipher(name: name, offset: field.rawValue, number: number))
    try vault.plant(.generic(account: "forged"), Secret([1]), named: name, in: forger)
    let reader = try unlocked()
    #expect(try reader.verify().isSound == false, "\(number)")
    #expect(throws: SecretStoreError.self) { try reader.add("new", account: "new") }
    #expect(try reader.salvageableItems().map(\.item.identity.account) == ["before"])
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
  let cipher = TestCipher()
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
