import TestSupport
import Testing

@testable import SecretStorage

/// Key tables of a forger without a key of the vault, on the vault's own machine.
///
/// No forged table may let the forger in, say that an item is absent, or be sound.
struct TableForgeryTests {
  /// What the machine's state file says about the vault.
  enum Memory: CaseIterable { case complete, short, stale, absent }
  /// The place of the forged tables among the vault's records, of which the first two are tables.
  enum Placement: CaseIterable {
    case alone, before, instead, behind

    func put(_ pieces: [ForgedFile.Piece], into file: inout ForgedFile) {
      switch self {
      case .alone: file.pieces = pieces
      case .before: file.pieces = pieces + file.pieces
      case .instead: file.pieces = Array(pieces.prefix(2)) + file.pieces.dropFirst(2)
      case .behind: file.pieces += pieces
      }
    }
  }

  /// A forgery, which its number determines.
  struct Plan {
    let memory: Memory
    let version: Int
    let placement: Placement
    let table: TableForgery
    /// Whether the header has the version of the tables.
    let isInHeader: Bool
    let count: Int

    /// Every 48 consecutive numbers have each memory, version and placement together once.
    init(_ number: Int) {
      var generator = Campaign.generator(number)
      memory = Memory.allCases[number % 4]
      version = 1 + number / 4 % 3
      placement = Placement.allCases[number / 12 % 4]
      table = TableForgery(using: &generator)
      isInHeader = Bool.random(using: &generator)
      count = Int.random(in: 1...2, using: &generator)
    }
  }

  private static let truth = ["always": "value", "after": "value", "plain": "value"]

  private let vault = TestVault()
  /// A copy from before the vault had a passphrase, when its device opened it.
  private let older: [UInt8]
  private let sound: [UInt8]
  private let state, staleState: [String: [UInt8]]

  init() throws {
    let owner = try vault.open().adding("value", account: "always", .always)
    older = try vault.bytes
    try owner.setPassphrase(TestVault.passphrase, cost: .cheap)
    try owner.add("value", account: "after", .afterFirstUnlock)
    staleState = try vault.rememberedState()
    try owner.compact()
    try owner.add("value", account: "plain")
    (sound, state) = try vault.snapshot
  }

  private func put(_ bytes: [UInt8], _ memory: Memory) throws {
    try vault.replace(by: bytes)
    switch memory {
    case .complete: try vault.restoreState(state)
    case .short: try vault.restoreState(state.mapValues { Array($0.prefix(112)) })
    case .stale: try vault.restoreState(staleState)
    case .absent: try vault.forget()
    }
  }

  private func forge(_ plan: Plan) throws -> [UInt8] {
    var file = ForgedFile(sound)
    let records = file.records
    let start = records[0][number: "sequence"]
    let end = records[records.count - 1]
    let isLater = plan.placement == .alone || plan.placement == .behind
    var sequence = isLater ? end[number: "sequence"] + 1 : start
    if plan.placement == .before { sequence -= UInt64(plan.count) }
    var predecessor = isLater ? ForgedFile.digest(end.encoded) : records[0]["predecessor"].encoded
    let stated = plan.placement == .behind ? start : sequence
    var forged: [ForgedFile.Piece] = []
    for _ in 0..<plan.count {
      let record = try plan.table.record(
        from: records[0], sequence: sequence, start: stated, predecessor: predecessor
      ) { Self.change(&$0, to: plan.version) }
      forged.append(.record(record))
      sequence += 1
      predecessor = ForgedFile.digest(record.encoded)
    }
    plan.placement.put(forged, into: &file)
    if plan.isInHeader { file.header[number: "version"] = UInt64(plan.version) }
    return file.encoded
  }

  /// Gives a table the parts of a version, and an end that is in the file.
  private static func change(_ record: inout [Field], to version: Int) {
    var sections = record["table"].parts["sections"].parts
    if version < 3 {
      sections.removeAll { $0.parts[number: "section"] == 16 }
    } else if let index = sections.firstIndex(where: { $0.parts[number: "section"] == 16 }) {
      sections[index].parts["end"].parts[number: "end"] = 1
    }
    record["table"].parts["sections"].parts = sections
    if version == 1 { record.removeAll { $0.name.hasPrefix("continuity") } }
  }

  @Test func forgedTableDecidesNothing() throws {
    for number in 0..<Campaign.size(sample: 150, full: 1_000_000) {
      let plan = Plan(number)
      let what: Comment = "\(number): \(plan)"
      let knowing = vault.open()
      #expect(try knowing.text("always") == "value", what)
      try put(forge(plan), plan.memory)
      expectNothing(of: knowing, what)
      // A new object cannot tell a forger's vault from one that this machine never saw.
      expectNothing(of: vault.open(), mayOpen: plan.memory == .absent, what)
      try put(sound, .complete)
      #expect(try knowing.isLocked, what)
      try knowing.unlock(with: .tests)
      #expect(try knowing.texts() == Self.truth, what)
    }
  }

  /// Returns records of the older copy in a place, perhaps with damage.
  private func oldTables(_ number: Int, _ placement: Placement) -> [UInt8] {
    var generator = Campaign.generator(number)
    var file = ForgedFile(sound)
    placement.put(ForgedFile(older).pieces, into: &file)
    if Bool.random(using: &generator) {
      let index = Int.random(in: 0...file.pieces.count, using: &generator)
      let count = Int.random(in: 1...600, using: &generator)
      file.pieces.insert(.bytes([UInt8](repeating: 0xA7, count: count)), at: index)
    }
    if Bool.random(using: &generator), placement != .behind {
      // Not the first table of the older copy.
      file.pieces.remove(at: Int.random(in: 1..<file.pieces.count, using: &generator))
    }
    return file.encoded
  }

  /// The device opened the vault at first, and a machine without any memory of it knows no better.
  @Test func tableOfAnOlderCopyUnlocksNothing() throws {
    for number in 0..<Campaign.size(sample: 48, full: 100_000) {
      let memory = [Memory.complete, .short, .stale][number % 3]
      let placement = Placement.allCases[number / 3 % 4]
      let what: Comment = "\(number): \(memory), \(placement)"
      let knowing = vault.open()
      #expect(try knowing.isLocked, what)
      try put(oldTables(number, placement), memory)
      for object in [knowing, vault.open()] {
        #expect((try? object.isLocked) != false, what)
        for account in ["after", "plain", "none"] {
          #expect(throws: SecretStoreError.self, what) { try object.text(account) }
        }
        #expect(throws: SecretStoreError.self, what) { try object.unlock() }
        #expect(throws: SecretStoreError.self, what) { try object.add("new", account: "new") }
      }
      try put(sound, .complete)
      #expect(try knowing.isLocked, what)
    }
  }

  private func expectNothing(of object: SecretVault, mayOpen: Bool = false, _ what: Comment) {
    for account in Array(Self.truth.keys) + ["none"] {
      guard case .success(let text) = Result(catching: { try object.text(account) }) else {
        continue
      }
      #expect(text != nil && text == Self.truth[account], what)
    }
    #expect((try? object.verify().isSound) != true, what)
    #expect((try? object.isPassphrase(ForgerKeys.passphrase)) != true, what)
    let isOpen = (try? object.unlock(with: .passphrase(ForgerKeys.passphrase))) != nil
    #expect(!isOpen || mayOpen, what)
    if isOpen { return }
    #expect(throws: SecretStoreError.self, what) { try object.add("new", account: "new") }
  }
}
