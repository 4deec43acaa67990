import TestSupport
import Testing

@testable import SecretStorage

/// Vaults mixed from the records of two branches of one history.
struct VaultBranchTests {
  enum Memory: CaseIterable { case ofTheBranch, ofTheFork, nothing }

  /// A branch, beginning with the first record.
  private struct Branch {
    /// The name, which is in every value written after the fork.
    let name: String
    let frames: [ArraySlice<UInt8>]
    let texts: [String: String]
    let state: [String: [UInt8]]
  }

  private static let accounts = "abcdef".map { String($0) }

  private let vault = TestVault()
  private let fork: (count: Int, state: [String: [UInt8]])
  private let branches: [Branch]

  init() throws {
    let object = vault.open()
    for account in ["a", "b", "c", "d"] { try object.add("\(account) at first", account: account) }
    let (bytes, state) = try vault.snapshot
    fork = (TestVault.frames(of: bytes).count, state)
    let plans = [("left", "abcebdaf", "c"), ("right", "aacebdbf", "d")]
    branches = try plans.map { [vault] name, order, removed in
      try vault.restore(bytes, state)
      let object = vault.open()
      for (number, account) in order.map({ String($0) }).enumerated() {
        let value = "\(account) of \(name) \(number)"
        let isNew = try object.item(account) == nil
        _ = try isNew ? object.add(value, account: account) : object.change(account, to: value)
      }
      try object.remove(removed)
      return Branch(
        name: name, frames: try vault.frames, texts: try object.texts(),
        state: try vault.rememberedState())
    }
  }

  private static func mixture(
    of one: Branch, _ other: Branch, from fork: Int, using generator: inout SeededGenerator
  ) -> [ArraySlice<UInt8>] {
    var frames = Array(one.frames[..<fork])
    let odds = Int.random(in: 0...3, using: &generator)
    for place in fork..<one.frames.count {
      let isOther = Int.random(in: 0..<4, using: &generator) <= odds
      if Int.random(in: 0..<8, using: &generator) == 0 { continue }
      frames.append(isOther ? other.frames[place] : one.frames[place])
    }
    if Int.random(in: 0..<6, using: &generator) == 0 {
      frames.remove(at: Int.random(in: 2..<fork, using: &generator))
    }
    if Int.random(in: 0..<6, using: &generator) == 0, let last = frames.popLast() {
      frames.insert(last, at: Int.random(in: fork..<frames.count, using: &generator))
    }
    return frames
  }

  @Test(arguments: Memory.allCases)
  func recordsOfAnotherBranchAreNotReturned(_ memory: Memory) throws {
    var mixtures = 0
    var answers = 0
    var generator = Campaign.generator(3)
    while mixtures < Campaign.size(sample: 30, full: 3000) {
      let (truth, other) = (branches[mixtures % 2], branches[1 - mixtures % 2])
      let frames = Self.mixture(of: truth, other, from: fork.count, using: &generator)
      // Without remembered state, the beginning of any branch is accepted.
      if isBeginning(frames) { continue }
      mixtures += 1
      try vault.replace(by: TestVault.file(of: frames))
      try vault.restoreState([.ofTheBranch: truth.state, .ofTheFork: fork.state][memory] ?? [:])
      let object = vault.open()
      for account in Self.accounts {
        let what = "Mixture \(mixtures): \(account)"
        do throws(SecretStoreError) {
          let found = try object.text(account)
          answers += 1
          let isRight = isRight(found, of: account, in: frames, truth, memory)
          #expect(isRight, "\(what) is \(found ?? "absent")")
        } catch {
          #expect(["corrupted", "rolledBack"].contains(error.kind), "\(what): \(error)")
        }
      }
      try expectRepair(of: object, "Mixture \(mixtures)")
    }
    // Records proven by the remembered state stay readable.
    #expect(memory != .ofTheBranch || answers > 0)
  }

  private func isBeginning(_ frames: [ArraySlice<UInt8>]) -> Bool {
    branches.contains { branch in
      frames.count <= branch.frames.count && zip(frames, branch.frames).allSatisfy { $0 == $1 }
    }
  }

  /// Whether a mixture may have a value; only remembered state tells branches apart.
  private func isRight(
    _ found: String?, of account: String, in frames: [ArraySlice<UInt8>], _ truth: Branch,
    _ memory: Memory
  ) -> Bool {
    switch memory {
    case .ofTheBranch: return found == truth.texts[account]
    case .nothing: return false
    case .ofTheFork:
      // After the remembered fork, all records must be of one branch.
      let behind = frames.drop { $0 != branches[0].frames[fork.count - 1] }.dropFirst()
      let branch = branches.first { branch in
        zip(behind, branch.frames[fork.count...]).allSatisfy { $0 == $1 }
      }
      guard let branch else { return false }
      return found.map { $0.contains("first") || $0.contains(branch.name) } ?? true
    }
  }

  /// Expects unproven records to be reported, salvageable, and present after a repair.
  private func expectRepair(of object: SecretVault, _ comment: Comment) throws {
    if object.distrust?.kind == "rolledBack" { return }
    #expect(try !object.verify().isSound, comment)
    let saved = try object.salvageableItems()
    #expect(saved.count >= 2, comment)
    _ = try object.repair()
    #expect(try object.verify().isSound, comment)
    let texts = Dictionary(grouping: saved) { $0.item.identity.account ?? "" }
    try vault.open().expectSound(texts.mapValues { $0.map(\.secret.text).joined() }, comment)
  }

  /// Equal revisions of one item have different keys in the two branches.
  @Test func openVaultReadsAnotherBranchInItsPlace() throws {
    let object = vault.open()
    for branch in branches {
      try vault.restore(TestVault.file(of: branch.frames), branch.state)
      #expect(try object.texts() == branch.texts)
    }
  }

  @Test func lossOfTheLastRecordLeavesOthersReadable() throws {
    let branch = branches[0]
    // The removal of "c" is the last record.
    try vault.restore(TestVault.file(of: branch.frames.dropLast()), fork.state)
    try vault.open().change("a", to: "newest")
    try vault.damage()
    let object = vault.open()
    #expect(throws: SecretStoreError.self) { try object.text("a") }
    #expect(try object.text("b") == branch.texts["b"])

    // A record of the other branch directly before the lost record.
    try vault.restoreState(branch.state)
    var mixed = branch.frames.map { Array($0) }
    mixed[mixed.count - 1][200] ^= 1
    mixed[mixed.count - 2] = Array(branches[1].frames[mixed.count - 2])
    try vault.replace(by: TestVault.file(of: mixed))
    for account in Self.accounts {
      #expect(throws: SecretStoreError.self) { try vault.open().text(account) }
    }
  }
}
