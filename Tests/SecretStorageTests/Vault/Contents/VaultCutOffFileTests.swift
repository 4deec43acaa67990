import StorageInternals
import Testing

@testable import SecretStorage

/// Files that a machine wrote as a whole, and of which another machine got only the beginning.
struct VaultCutOffFileTests {
  enum Rewriting: CaseIterable { case compaction, slotChange, passphraseChange, rotation }

  private let vault = TestVault(batchSize: 2)
  private let texts = ["a": "a", "b": "b", "c": "c", "d": "d", "e": "e"]

  /// Makes a vault on another machine, which rewrites it, and returns the file before and after.
  private func files(_ rewriting: Rewriting) throws -> (before: [UInt8], after: [UInt8]) {
    let owner = try vault.protected()
    for account in texts.keys.sorted() {
      try owner.add(account, account: account, account == "d" ? .always : .whenUnlocked)
    }
    let before = try vault.bytes
    let passphrase = TestVault.passphrase
    switch rewriting {
    case .compaction: try owner.compact()
    case .slotChange: try owner.addSlot(.device, named: "device")
    case .passphraseChange:
      try owner.changePassphrase(from: passphrase, to: passphrase, cost: .cheap)
    case .rotation: try owner.rotate()
    }
    return (before, try vault.bytes)
  }

  /// Returns an object of this machine, which remembers the vault in a directory.
  private func unlocked(_ state: String) throws -> SecretVault {
    try FileSystem().makeDirectories(vault.path(state))
    return try vault.unlocked(state: vault.path(state))
  }

  /// Returns an object that has read a vault, which is then cut off.
  private func reader(
    of file: [UInt8], cutTo new: ArraySlice<UInt8>, _ state: String
  ) throws -> SecretVault {
    try vault.replace(by: file)
    let object = try unlocked(state)
    #expect(try object.texts() == texts)
    try vault.replace(by: new)
    // A rotation locks it.
    if try object.isLocked { try object.unlock(with: .tests) }
    return object
  }

  @Test(arguments: Rewriting.allCases)
  func missingEndIsDamageAndLosesNothingInMemory(_ rewriting: Rewriting) throws {
    let (before, after) = try files(rewriting)
    let ends = Array(TestVault.frames(of: after).map(\.endIndex).dropLast())
    // Both tables, and at least one of the records of items.
    #expect(ends.count >= 3)
    for end in ends + [ends[1] + 20] {
      let what: Comment = "cut at \(end) of \(after.count)"
      let knowing = try reader(of: before, cutTo: after[..<end], "\(end)")
      for object in [knowing, try unlocked("\(end)")] {
        for account in Array(texts.keys) + ["none"] {
          #expect(throws: SecretStoreError.self, what) { try object.text(account) }
        }
        #expect(throws: SecretStoreError.self, what) { try object.items(matching: .all) }
        #expect(throws: SecretStoreError.self, what) { try object.add("new", account: "new") }
        #expect(try !object.verify().isSound, what)
      }
      let saved = try knowing.salvageableItems().map(\.secret.text)
      #expect(saved.sorted() == texts.values.sorted(), what)
      expectError("corrupted") { try TestVault().open().importFile(of: vault) }
      // The rest arrives.
      try TestVault.append(Array(after[end...]), to: vault.path)
      for object in [knowing, try unlocked("\(end)")] { try object.expectSound(texts) }
    }
  }

  @Test(arguments: Rewriting.allCases)
  func itemsInMemoryAreRepaired(_ rewriting: Rewriting) throws {
    let (before, after) = try files(rewriting)
    let tables = TestVault.frames(of: after)[1].endIndex
    let knowing = try reader(of: before, cutTo: after[..<tables], "here")
    #expect(try knowing.repair().count == 1)
    for object in [knowing, try unlocked("here")] { try object.expectSound(texts) }
  }

  /// The machine that wrote the file knows its end, and refuses it as an older copy.
  @Test func refusedFileLosesNothingInMemory() throws {
    let after = try files(.compaction).after
    let owner = try unlocked("here")
    try owner.expectSound(texts)
    try vault.replace(by: after[..<TestVault.frames(of: after)[1].endIndex])
    for _ in 0..<2 { expectError("rolledBack") { _ = try owner.texts() } }
    try owner.acceptRollback()
    #expect(throws: SecretStoreError.self) { try owner.text("a") }
    #expect(try owner.salvageableItems().map(\.secret.text).sorted() == texts.values.sorted())
    #expect(try owner.repair().count == 1)
    for object in [owner, try unlocked("here")] { try object.expectSound(texts) }
  }
}
