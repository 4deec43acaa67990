import TestSupport
import Testing

@testable import SecretStorage

/// Numbers at the limits of their types, in records with right digests.
struct VaultForgedNumberTests {
  private static let numbers: [UInt64] =
    Campaign.isFull
    ? [0, 1 << 63 - 1, 1 << 63, .max - 8, .max - 4, .max - 2, .max - 1, .max] : [0, 1 << 63, .max]
  private let vault = TestVault()

  /// Returns a file for each record with the field, and whether later predecessors are right.
  private static func forgeries(
    of bytes: [UInt8], _ field: String, _ number: UInt64
  ) -> [(place: Int, isChained: Bool, file: [UInt8])] {
    let sound = ForgedFile(bytes)
    #expect(sound.records.count == 5)
    let places = sound.records.indices.filter { sound.records[$0].contains { $0.name == field } }
    #expect(!places.isEmpty)
    return places.flatMap { place in
      var forged = sound
      var record = sound.records[place]
      record[number: field] = number
      forged.pieces[place] = .record(record)
      let unchained = (place, false, forged.encoded)
      forged.makeRight(.predecessors)
      return [unchained, (place, true, forged.encoded)]
    }
  }

  /// Calls everything that reads or writes; only crashes and hangs matter.
  private func useAll(_ object: SecretVault, _ what: Comment) {
    for account in ["a", "b", "c"] {
      // An error is correct as well.
      if case .success(let found) = Result(catching: { try object.text(account) }) {
        #expect(found == "value \(account)", what)
      }
    }
    for work in [VaultWork.add, .change, .compact, .rotateKeys, .export] {
      #expect(throws: SecretStoreError.self, what) { try work.perform(on: object, of: vault) }
    }
    _ = try? object.items(matching: .all)
    _ = try? object.slots
    _ = object.diagnose()
  }

  private func add(to object: SecretVault) throws {
    for account in ["a", "b", "c"] { try object.add("value \(account)", account: account) }
  }

  @Test(arguments: ["sequence", "start"], numbers)
  func forgedNumberIsDamage(_ field: String, _ number: UInt64) throws {
    try add(to: vault.open())
    let state = try vault.rememberedState()
    for (place, isChained, file) in Self.forgeries(of: try vault.bytes, field, number) {
      let what: Comment = "record \(place)\(isChained ? ", chained" : "")"
      try vault.replace(by: file)
      // Otherwise both key tables are damaged.
      let hasTable = place > 0 || !isChained
      let kept = ["a", "b", "c"].prefix(max(0, place - 2))
      for isRemembered in [true, false] {
        try vault.restoreState(isRemembered ? state : [:])
        useAll(vault.open(), what)
        #expect(try vault.open().verify().isSound == false, what)
        if !hasTable { continue }
        let saved = try vault.open().salvageableItems().compactMap(\.item.identity.account)
        #expect(Set(saved).isSuperset(of: kept), what)
      }
      if !hasTable { continue }
      #expect(try vault.open().repair().isEmpty == false, what)
      let texts = try vault.open().texts()
      #expect(kept.allSatisfy { texts[$0] == "value \($0)" }, what)
      try vault.open().add("after", account: "after")
    }
  }

  @Test(arguments: ["sequence", "start"], numbers)
  func forgedNumberIsRefusedWhenLockedOrImported(_ field: String, _ number: UInt64) throws {
    try add(to: vault.protected())
    let other = TestVault()
    for (place, _, file) in Self.forgeries(of: try vault.bytes, field, number) {
      try vault.replace(by: file)
      try vault.forget()
      let locked = vault.open()
      useAll(locked, "record \(place)")
      // Without the forged record, the vault may open.
      do { try locked.unlock(with: .tests) } catch SecretStoreError.corrupted {}
      useAll(locked, "record \(place)")
      expectError("corrupted") { try other.open().importFile(of: vault) }
    }
  }

  /// Makes a vault that its owner sealed, whose numbers are all authentic, and opens it.
  private func own(_ own: OwnVault, items count: Int) throws -> SecretVault {
    try vault.replace(by: own.file(items: count).encoded)
    return try vault.unlocked(by: ForgerKeys.passphrase)
  }

  private func imported() throws -> ImportReport {
    try TestVault().open().importItems(from: vault.file, passphrase: ForgerKeys.passphrase)
  }

  @Test func lastNumberAllowsNoWrite() throws {
    let last = RecordHeader.sequences.upperBound - 1
    let object = try own(OwnVault(startingAt: last - 1), items: 0)
    let bytes = try vault.bytes
    #expect(try object.verify().isSound)
    #expect(try failure { try object.add("new", account: "new") }.invalid != nil)
    #expect(try failure { try object.compact() }.invalid != nil)
    #expect(try vault.bytes == bytes)
    #expect(try object.texts().isEmpty)
    #expect(try imported().entries.isEmpty)
  }

  /// As signed dates, the numbers are far from the present.
  @Test(arguments: ["revision", "sealed revision", "created", "modified"])
  func sealedNumbersOfAnItemAreRefused(_ field: String) throws {
    let numbers: [UInt64] =
      field.hasSuffix("revision")
      ? [1 << 63, .max - 1, .max] : [1 << 62 + 1, 1 << 63 - 1, 1 << 63]
    for number in numbers {
      // The last of four records has three items.
      let forged = OwnVault { fields in
        guard fields["entries"].parts.count == 3 else { return }
        fields["entries"].parts[0].parts[number: field] = number
      }
      let reader = try own(forged, items: 6)
      #expect(try reader.verify().isSound == false, "\(number)")
      #expect(throws: SecretStoreError.self) { try reader.add("new", account: "new") }
      #expect(try reader.salvageableItems().map(\.item.identity.account) == ["own 2"])
      expectError("corrupted") { try imported() }
      #expect(try reader.repair().isEmpty == false)
      #expect(try reader.text("own 2") == "own secret")
      try reader.add("new", account: "new")
      try vault.forget()
    }
  }
}
