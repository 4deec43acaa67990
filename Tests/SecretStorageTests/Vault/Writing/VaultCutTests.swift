import TestSupport
import Testing

@testable import SecretStorage

/// Vaults with a truncated end, from one byte to several records.
struct VaultCutTests {
  enum Memory: CaseIterable { case rest, whole, nothing }

  @Test(arguments: Memory.allCases)
  func truncatedVaultHasItsWholeRecords(_ memory: Memory) throws {
    let vault = TestVault()
    let object = vault.open()
    // The state after each write.
    var snapshots: [(size: Int, texts: [String: String], state: [String: [UInt8]])] = []
    func step(_ work: () throws -> Void) throws {
      try work()
      snapshots.append((try vault.bytes.count, try object.texts(), try vault.rememberedState()))
    }
    try step { try object.add("first", account: "a") }
    try step { try object.add(String(repeating: "x", count: 500), account: "b") }
    try step { try object.change("a", to: "second") }
    try step { try object.remove("b") }
    try step { try object.add("third", account: "c") }
    let whole = try vault.bytes
    let newest = try #require(snapshots.last)

    let step = Campaign.size(sample: 131, full: 1)
    for size in snapshots[0].size..<whole.count
    where size % step == 0 || snapshots.contains(where: { $0.size == size }) {
      let before = try #require(snapshots.last { $0.size <= size })
      try vault.replace(by: whole[..<size])
      let states = [Memory.rest: before.state, .whole: newest.state]
      try vault.restoreState(states[memory] ?? [:])
      let opened = vault.open()
      if memory == .whole {
        expectError("rolledBack") { _ = try opened.texts() }
        expectError("rolledBack") { try opened.add("new", account: "new") }
        try opened.acceptRollback()
      }
      #expect(try opened.texts() == before.texts, "cut at \(size)")
      try opened.add("new", account: "new")
      #expect(try opened.verify().isSound)
      // The torn record is removed completely.
      let bytes = try vault.bytes
      #expect(TestVault.frames(of: bytes).last?.endIndex == bytes.count)
      try vault.open().expectSound(before.texts.merging(["new": "new"]) { $1 })
    }
  }

  @Test func vaultWithoutItsFirstItemIsNotEmpty() throws {
    let vault = TestVault()
    try vault.open().add("value", account: "a")
    let whole = try vault.bytes
    let end = try #require(TestVault.frames(of: whole).first).endIndex
    try vault.forget()
    let step = Campaign.size(sample: 61, full: 1)
    for size in 0..<end
    where size % step == 0 || [FileHeader.size, end - 1].contains(size) {
      try vault.replace(by: whole[..<size])
      let object = vault.open()
      expectError("corrupted", saying: vault.path) { _ = try object.items(matching: .all) }
      expectError("corrupted", saying: vault.path) { try object.add("new", account: "new") }
      #expect(try vault.bytes == Array(whole[..<size]))
    }
  }
}
