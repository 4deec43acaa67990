import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Vaults with a truncated end, from one byte to several records.
struct VaultCutTests {
  /// The machine's memory when the vault is opened.
  enum Memory: CaseIterable { case ofTheRest, ofTheWhole, nothing }

  @Test(arguments: Memory.allCases)
  func cutVaultHasWhatWasAcknowledgedBefore(_ memory: Memory) throws {
    let vault = TestVault()
    let object = vault.open()
    // The state after each write.
    var snapshots: [(size: Int, texts: [String: String], state: [String: [UInt8]])] = []
    func note() throws {
      snapshots.append((try vault.bytes.count, try object.texts(), try vault.rememberedState()))
    }
    try object.add("first", account: "a")
    try note()
    try object.add(String(repeating: "x", count: 500), account: "b")
    try note()
    try object.change("a", to: "second")
    try note()
    try object.remove("b")
    try note()
    try object.add("third", account: "c")
    try note()
    let whole = try vault.bytes
    let newest = try #require(snapshots.last)

    let step = Campaign.size(sample: 41, full: 1)
    for size in snapshots[0].size..<whole.count
    where size % step == 0 || snapshots.contains(where: { $0.size == size }) {
      let before = try #require(snapshots.last { $0.size <= size })
      try vault.replace(by: whole[..<size])
      switch memory {
      case .ofTheRest: try vault.restoreState(before.state)
      case .ofTheWhole: try vault.restoreState(newest.state)
      case .nothing: try vault.forget()
      }
      let opened = vault.open()
      if memory == .ofTheWhole {
        expectRolledBack(size) { try opened.texts() }
        expectRolledBack(size) { try opened.add("new", account: "new") }
        try opened.acceptRollback()
      }
      #expect(try opened.texts() == before.texts, "cut at \(size)")
      try opened.add("new", account: "new")
      #expect(try opened.verify().isSound)
      // The torn record is removed completely.
      let bytes = try vault.bytes
      #expect(TestVault.frames(of: bytes).last?.endIndex == bytes.count)
      let again = vault.open()
      #expect(try again.texts() == before.texts.merging(["new": "new"]) { $1 })
      #expect(try again.verify().isSound)
    }
  }

  private func expectRolledBack<Result>(_ size: Int, _ body: () throws -> Result) {
    do {
      _ = try body()
      Issue.record("A vault cut at \(size) is not reported.")
    } catch SecretStoreError.rolledBack {
    } catch {
      Issue.record("A vault cut at \(size) is reported as \(error)")
    }
  }

  @Test func vaultCutBeforeItsFirstItemIsNotTakenForAnEmptyOne() throws {
    let vault = TestVault()
    try vault.open().add("value", account: "a")
    let whole = try vault.bytes
    let tables = TestVault.frames(of: whole)[..<2].map(\.count)
    try vault.forget()
    for size in 0..<(FileHeader.size + tables[0]) {
      try vault.replace(by: whole[..<size])
      let object = vault.open()
      for attempt in 0..<2 {
        do {
          if attempt == 0 { _ = try object.items(matching: .all) }
          if attempt == 1 { try object.add("new", account: "new") }
          Issue.record("A vault cut at \(size) is taken for an empty one.")
        } catch SecretStoreError.corrupted(let what) {
          #expect(what.contains(vault.path))
        } catch {
          Issue.record("A vault cut at \(size) is reported as \(error)")
        }
      }
      #expect(try vault.bytes == Array(whole[..<size]))
    }
  }
}
