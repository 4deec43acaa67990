import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Power failures at every moment of a vault's work on its files, on a modeled disk.
struct VaultPowerFailureTests {
  enum Scenario: Int, CaseIterable {
    case creation, recreation, writing, compaction, rotation, passphrase, removal, export, `import`,
      repair
  }

  @Test(arguments: Scenario.allCases)
  func acknowledgedWritesOutlastAPowerFailure(_ scenario: Scenario) throws {
    for seed in 0..<Campaign.size(sample: 1, full: 6) {
      let campaign = try PowerFailureCampaign(
        scenario, hasNamelessFiles: (scenario.rawValue + seed) % 2 == 0)
      var generator = Campaign.generator(seed)
      try campaign.cutAfterEachStep(using: &generator)
      for _ in 0..<Campaign.size(sample: 4, full: 500) { try campaign.cut(using: &generator) }
    }
  }
}

/// A vault on a modeled disk, and the checks after each power failure.
private final class PowerFailureCampaign {
  typealias Scenario = VaultPowerFailureTests.Scenario

  private let vault = TestVault()
  /// The owner of the directory of exports.
  private let other = TestVault()
  private let isDamaged, hasNamelessFiles: Bool
  private let disk: ModeledDisk
  private var changes: [ModeledDisk.Change] = []
  /// The contents before and after each piece of work, and its changes.
  private var steps: [(before: [String: String], after: [String: String], changes: Range<Int>)] = []

  init(_ scenario: Scenario, hasNamelessFiles: Bool) throws {
    self.hasNamelessFiles = hasNamelessFiles
    isDamaged = scenario == .repair
    for vault in [vault, other] { try FileSystem().makeDirectories(vault.statePath) }
    let texts = try Self.prepare(vault, for: scenario, other)
    disk = try ModeledDisk(
      [vault.directory.path, vault.statePath, other.directory.path],
      hasNamelessFiles: hasNamelessFiles)
    let object = vault.open(fileSystem: disk.fileSystem)
    try unlock(object)
    try run(scenario, on: object, texts)
    changes = disk.changes
  }

  private static func prepare(
    _ vault: TestVault, for scenario: Scenario, _ other: TestVault
  ) throws -> [String: String] {
    if [.creation, .writing].contains(scenario) { return [:] }
    let object = vault.open()
    for account in ["a", "b"] { try object.add("first", account: account) }
    try object.add("always", account: "always", .always)
    var texts = try object.texts()
    switch scenario {
    case .recreation:
      try FileSystem().unlink(vault.path)
      texts = [:]
    case .removal: try object.setPassphrase(TestVault.passphrase, cost: .cheap)
    case .repair:
      // The record of "b".
      let frame = try #require(try vault.frames.dropLast().last)
      try vault.damage(at: frame.startIndex + 100)
      texts["b"] = nil
    case .import:
      try object.export(of: other)
      for account in ["a", "always"] { try object.change(account, to: "changed") }
      try object.remove("b")
      texts = try object.texts()
    default: break
    }
    return texts
  }

  private func run(_ scenario: Scenario, on object: SecretVault, _ start: [String: String]) throws {
    var texts = start
    func step(_ work: () throws -> Void) throws {
      let start = disk.changes.count
      let before = texts
      try work()
      texts = try object.texts()
      steps.append((before, texts, start..<disk.changes.count))
    }
    switch scenario {
    case .creation, .recreation: try step { try object.add("first", account: "first") }
    case .writing:
      for number in 0..<3 { try step { try object.add("\(number)", account: "\(number)") } }
      try step { try object.add(String(repeating: "long", count: 1000), account: "long") }
      try step { try object.change("0", to: "changed") }
      try step { try object.move("1", to: .always) }
      try step { try object.remove("2") }
    case .compaction: try step { try object.compact() }
    case .rotation: try step { try object.rotateKeys() }
    case .passphrase: try step { try object.setPassphrase(TestVault.passphrase, cost: .cheap) }
    case .removal: try step { try object.removePassphrase() }
    case .export:
      for number in 0..<2 {
        try step { try object.export(of: other, overwriting: true) }
        try step { try object.change("a", to: "changed \(number)") }
      }
    case .import: try step { try object.importItems(of: other, replacing: true) }
    case .repair: try step { _ = try object.repair() }
    }
    // The first write after the scenario's work.
    try step { try object.add("later", account: "later") }
    try step { try object.change("later", to: "at last") }
  }

  /// Cuts the power after each step, when what is not durable is lost, or is there.
  func cutAfterEachStep(using generator: inout SeededGenerator) throws {
    for step in steps {
      let count = step.changes.upperBound
      for odds in [0, 4] {
        try disk.install(disk.files(cutAfter: count, of: changes, odds: odds, using: &generator))
        _ = try check(acknowledged: step.after, "cut after \(count) with odds \(odds)")
      }
    }
  }

  /// Cuts the power at a random moment, checks the remains, uses them, and cuts the power again.
  func cut(using generator: inout SeededGenerator) throws {
    let count = Int.random(in: 0...changes.count, using: &generator)
    let files = disk.files(cutAfter: count, of: changes, using: &generator)
    try disk.install(files)
    let done = steps.last { $0.changes.upperBound <= count }
    let begun = steps.first { $0.changes.contains(count) && $0.changes.lowerBound < count }
    let texts = try check(
      acknowledged: done?.after ?? steps[0].before, pending: begun?.after,
      isDamaged: isDamaged && count < steps[0].changes.upperBound, "cut after \(count)")
    guard let texts else { return }

    // A second cut during the use of the remains.
    try disk.install(files)
    let second = try ModeledDisk(disk.directories, hasNamelessFiles: hasNamelessFiles)
    let object = vault.open(fileSystem: second.fileSystem)
    try unlock(object)
    let start = second.changes.count
    try object.add("again", account: "again")
    let after = texts.merging(["again": "again"]) { $1 }
    let all = second.changes
    let again = Int.random(in: start...all.count, using: &generator)
    try disk.install(second.files(cutAfter: again, of: all, using: &generator))
    _ = try check(
      acknowledged: again == all.count ? after : texts, pending: after,
      "cut after \(count) and after \(again) of \(start)...\(all.count)")
  }

  private func unlock(_ object: SecretVault) throws {
    if try object.hasPassphrase { try object.unlock(with: .tests) }
  }

  /// Opens the remains of a power failure; returns the contents, or nil if they need a repair.
  private func check(
    acknowledged: [String: String], pending: [String: String]? = nil, isDamaged: Bool = false,
    _ comment: Comment
  ) throws -> [String: String]? {
    let object = vault.open()
    do {
      try unlock(object)
      if isDamaged { _ = try object.repair() }
      let texts = try object.texts()
      let pending = pending ?? acknowledged
      for account in Set(acknowledged.keys).union(texts.keys).union(pending.keys) {
        let expected = [acknowledged[account], pending[account]]
        #expect(expected.contains(texts[account]), "\(comment.rawValue): \(account)")
      }
      #expect(try object.verify().isSound, comment)
      try checkExport(comment)
      try object.add("new", account: "new")
      let other = vault.open()
      try unlock(other)
      try other.expectSound(texts.merging(["new": "new"]) { $1 }, comment)
      #expect(try vault.names().filter { $0.hasSuffix(".tmp") } == [], comment)
      return isDamaged ? nil : texts
    } catch {
      Issue.record("\(comment.rawValue): \(error)")
      return nil
    }
  }

  private func checkExport(_ comment: Comment) throws {
    guard try FileSystem().status(of: other.export.path) != nil else { return }
    let target = TestVault().open()
    try target.importItems(of: other)
    #expect(try target.texts().count == 3, comment)
  }
}
