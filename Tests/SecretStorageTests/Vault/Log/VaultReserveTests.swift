import CLibrary
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// The zeros after a vault's last record, which later records replace.
struct VaultReserveTests {
  private let vault = TestVault()

  private func size() throws -> Int { try #require(try FileSystem().status(of: vault.path)).size }

  /// Returns a vault whose file has a reserve.
  private func filled() throws -> SecretVault {
    let object = vault.open()
    for account in ["a", "b"] { try object.add(account, account: account) }
    return object
  }

  @Test func recordsReplaceZerosUntilNoneAreLeft() throws {
    let object = try filled()
    let log = CallLog(.ftruncate, .write, .fdatasync, on: vault.path)
    let writer = vault.open(fileSystem: log.fileSystem)
    var sizes: [Int] = []
    for number in 0..<40 {
      _ = log.take()
      try writer.change("a", to: "\(number)")
      #expect(log.take() == ["write", "fdatasync"].map { "\($0) \(vault.path)" })
      sizes.append(try size())
      #expect(try object.text("a") == "\(number)")
    }
    // Each growth serves about ten records.
    #expect((2...8).contains(Set(sizes).count), "\(sizes)")
    try vault.open().expectSound(["a": "39", "b": "b"])
  }

  @Test func reserveIsSmall() throws {
    let object = try filled()
    for count in [10, 5000, 40_000, 400_000, 3_000_000] {
      try object.change("a", to: String(repeating: "x", count: count))
      let end = try vault.bytes.count
      let reserve = try size() - end
      #expect((4096...max(8192, end / 16 + 4096)).contains(reserve), "\(reserve) after \(end)")
      #expect(reserve <= FileRecordLog.zerosLimit)
    }
  }

  @Test func fileWithoutReserveIsReadAndWritten() throws {
    let object = try filled()
    try vault.replace(by: vault.bytes)
    for reader in [object, vault.open()] { try reader.expectSound(["a": "a", "b": "b"]) }
    try object.compact()
    #expect(try size() == vault.bytes.count)
    try object.change("a", to: "changed")
    #expect(try size() > vault.bytes.count)
    try vault.open().expectSound(["a": "changed", "b": "b"])
  }

  @Test(arguments: [1, 700, 100_000]) func zerosAreTheEnd(_ count: Int) throws {
    let object = try filled()
    let bytes = try vault.bytes
    try vault.replace(by: bytes + [UInt8](repeating: 0, count: count))
    for reader in [object, vault.open()] {
      try reader.expectSound(["a": "a", "b": "b"])
      #expect(try reader.verify().interruptedWrite == nil)
      #expect(reader.diagnose()["Interrupted write"] == nil)
    }
    try object.change("a", to: "changed")
    #expect(try size() - vault.bytes.count <= FileRecordLog.zerosLimit)
    try vault.open().expectSound(["a": "changed", "b": "b"])
  }

  /// An older copy may be shorter only in its reserve.
  @Test func zerosInPlaceOfRecordsAreAnOlderCopy() throws {
    let object = try filled()
    let old = try TestVault.bytes(of: vault.path)
    try object.change("a", to: "changed")
    #expect(try size() == old.count)
    try vault.replace(by: old)
    for reader in [object, vault.open()] { expectError("rolledBack") { try reader.texts() } }
  }

  @Test(arguments: [1, 600, 5000]) func zerosBeforeARecordAreDamage(_ count: Int) throws {
    _ = try filled()
    var frames = try vault.frames
    let last = frames.removeLast()
    let zeros = [UInt8](repeating: 0, count: count)
    try vault.replace(by: TestVault.file(of: frames) + zeros + last + zeros)
    try vault.forget()
    let object = vault.open()
    #expect(try !object.verify().isSound)
    expectError("corrupted", saying: "repair()") { try object.add("d", account: "d") }
  }

  @Test(arguments: [true, false]) func zerosInPlaceOfARecordAreDamage(_ isRemembered: Bool) throws {
    let object = try filled()
    try object.change("a", to: "changed")
    let frame = try vault.frames[3]
    var bytes = try TestVault.bytes(of: vault.path)
    for place in frame.indices { bytes[place] = 0 }
    try vault.replace(by: bytes)
    if !isRemembered { try vault.forget() }
    let reader = vault.open()
    #expect(try !reader.verify().isSound)
    #expect(throws: SecretStoreError.self) { try reader.texts() }
  }

  /// Only the reserve's zeros do not count as those of a sector that was never written.
  @Test func changedLastRecordBeforeAReserveIsDamage() throws {
    _ = try filled()
    for offset in [0, 5, 20, 100] {
      var bytes = try TestVault.bytes(of: vault.path)
      let place = try #require(TestVault.frames(of: bytes).last).startIndex + offset
      bytes[place] = ~bytes[place]
      try vault.replace(by: bytes)
      try vault.forget()
      let reader = vault.open()
      #expect(try !reader.verify().isSound, "changed at \(offset)")
      #expect(throws: SecretStoreError.self) { try reader.add("d", account: "d") }
      bytes[place] = ~bytes[place]
      try vault.replace(by: bytes)
    }
  }

  @Test(arguments: [20, 60, 300]) func incompleteRecordInAReserveIsIgnored(_ count: Int) throws {
    let object = try filled()
    let (old, state) = (try TestVault.bytes(of: vault.path), try vault.rememberedState())
    try object.add("c", account: "c")
    let frame = try #require(try vault.frames.last)
    var torn = old
    torn.replaceSubrange(frame.startIndex..<(frame.startIndex + count), with: frame.prefix(count))
    for state in [state, [:]] {
      try vault.restore(torn, state)
      let reader = vault.open()
      try reader.expectSound(["a": "a", "b": "b"])
      #expect(try reader.verify().interruptedWrite != nil)
      try reader.add("d", account: "d")
      try vault.open().expectSound(["a": "a", "b": "b", "d": "d"])
    }
  }

  @Test func incompleteRecordInAReserveIsNoDamageToAnImport() throws {
    let object = try vault.protected()
    for account in ["a", "b"] { try object.add(account, account: account) }
    let old = try TestVault.bytes(of: vault.path)
    try object.add("c", account: "c")
    let frame = try #require(try vault.frames.last)
    var torn = old
    torn.replaceSubrange(frame.startIndex..<(frame.startIndex + 100), with: frame.prefix(100))
    try vault.replace(by: torn)
    let target = TestVault().open()
    try target.importFile(of: vault)
    #expect(try target.texts() == ["a": "a", "b": "b"])
  }

  /// A power failure may leave any of the sectors that a write replaces.
  @Test(arguments: [true, false])
  func sectorsOfAnInterruptedWriteAreIgnored(_ hasTwoRecords: Bool) throws {
    let object = try filled()
    for number in 0..<8 { try object.change("a", to: "\(number)") }
    try object.change("a", to: String(repeating: "x", count: 3000))
    let (old, state) = (try TestVault.bytes(of: vault.path), try vault.rememberedState())
    let before = try object.texts()
    if hasTwoRecords {
      try object.move("b", to: .always, changingTo: Secret([UInt8](repeating: 65, count: 2000)))
    } else {
      try object.add(String(repeating: "y", count: 2000), account: "c")
    }
    let new = try TestVault.bytes(of: vault.path)
    let after = try object.texts()
    #expect(new.count == old.count)
    let changed = zip(old, new).enumerated().filter { $1.0 != $1.1 }.map(\.offset)
    let sectors = try #require(changed.first) / 512...(try #require(changed.last) / 512)
    var generator = Campaign.generator()
    for _ in 0..<Campaign.size(sample: 40, full: 4000) {
      var bytes = old
      let written = sectors.filter { _ in Bool.random(using: &generator) }
      for sector in written {
        let range = (sector * 512)..<min((sector + 1) * 512, bytes.count)
        bytes.replaceSubrange(range, with: new[range])
      }
      try vault.restore(bytes, state)
      let reader = vault.open()
      let texts = try reader.texts()
      let isWhole = written.count == sectors.count
      // The first of two records is a change of the item, too.
      #expect(isWhole ? texts == after : texts == before || hasTwoRecords && texts == after)
      try reader.expectSound(texts, "sectors \(written)")
      try reader.add("d", account: "d")
      try vault.open().expectSound(texts.merging(["d": "d"]) { $1 }, "sectors \(written)")
    }
  }
}
