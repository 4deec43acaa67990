import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// A vault on a modelled disk, and the checks after each power failure.
final class PowerFailureCampaign {
  /// One piece of work: the contents before and after it, and its changes.
  private struct Step {
    let before: [String: String]
    let after: [String: String]
    let changes: Range<Int>
  }

  private static let passphrase = Secret("secret".utf8)

  private let vault: TestVault
  private let exportPath: String
  private let isDamaged: Bool
  private let hasNamelessFiles: Bool
  private let disk: ModelledDisk
  private var changes: [ModelledDisk.Change] = []
  private var steps: [Step] = []

  init(_ scenario: VaultPowerFailureTests.Scenario, hasNamelessFiles: Bool) throws {
    self.hasNamelessFiles = hasNamelessFiles
    vault = TestVault()
    let exports = try vault.path("exports")
    for directory in [exports, vault.statePath] { try FileSystem().makeDirectories(directory) }
    exportPath = "\(exports)/moved.vault"
    isDamaged = scenario == .repair
    let texts = try Self.prepare(vault, for: scenario, exportPath)
    disk = try ModelledDisk(
      [vault.directory.path, vault.statePath, exports], hasNamelessFiles: hasNamelessFiles)
    let object = vault.open(fileSystem: disk.fileSystem)
    try unlock(object)
    try run(scenario, on: object, texts)
    changes = disk.changes
  }

  /// Makes the vault and returns its contents.
  private static func prepare(
    _ vault: TestVault, for scenario: VaultPowerFailureTests.Scenario, _ exportPath: String
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
    case .removal: try object.setPassphrase(passphrase, cost: .cheap)
    case .repair:
      // The record of "b".
      let frame = try #require(TestVault.frames(of: try vault.bytes).dropLast().last)
      let place = frame.startIndex + 100
      try TestVault.change(vault.path, at: place, to: ~(try vault.bytes[place]))
      texts["b"] = nil
    case .import:
      try object.export(to: URL(filePath: exportPath), passphrase: passphrase, cost: .cheap)
      for account in ["a", "always"] { try object.change(account, to: "changed") }
      try object.remove("b")
      texts = try object.texts()
    default: break
    }
    return texts
  }

  /// Performs the scenario's work step by step.
  private func run(
    _ scenario: VaultPowerFailureTests.Scenario, on object: SecretVault, _ texts: [String: String]
  ) throws {
    var texts = texts
    func step(_ work: () throws -> Void) throws {
      let start = disk.changes.count
      let before = texts
      try work()
      texts = try object.texts()
      steps.append(Step(before: before, after: texts, changes: start..<disk.changes.count))
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
    case .passphrase: try step { try object.setPassphrase(Self.passphrase, cost: .cheap) }
    case .removal: try step { try object.removePassphrase() }
    case .export:
      for number in 0..<2 {
        try step {
          try object.export(
            to: URL(filePath: exportPath), passphrase: Self.passphrase, cost: .cheap,
            overwriting: true)
        }
        try step { try object.change("a", to: "changed \(number)") }
      }
    case .import:
      try step {
        try object.importItems(
          from: URL(filePath: exportPath), passphrase: Self.passphrase, conflicts: .replace)
      }
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
        _ = try check(
          acknowledged: step.after, pending: nil, isDamaged: false,
          "cut after \(count) with odds \(odds)")
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
    let second = try ModelledDisk(disk.directories, hasNamelessFiles: hasNamelessFiles)
    let object = vault.open(fileSystem: second.fileSystem)
    try unlock(object)
    let start = second.changes.count
    try object.add("again", account: "again")
    let after = texts.merging(["again": "again"]) { $1 }
    let all = second.changes
    let again = Int.random(in: start...all.count, using: &generator)
    try disk.install(second.files(cutAfter: again, of: all, using: &generator))
    _ = try check(
      acknowledged: again == all.count ? after : texts, pending: after, isDamaged: false,
      "cut after \(count) and after \(again) of \(start)...\(all.count)")
  }

  private func unlock(_ object: SecretVault) throws {
    if try object.hasPassphrase { try object.unlock(with: .passphrase(Self.passphrase)) }
  }

  /// Opens the remains of a power failure; returns the contents, or nil if they need a repair.
  private func check(
    acknowledged: [String: String], pending: [String: String]?, isDamaged: Bool, _ comment: Comment
  ) throws -> [String: String]? {
    let object = vault.open()
    do {
      try unlock(object)
      if isDamaged {
        _ = try object.repair()
      }
      let texts = try object.texts()
      for account in Set(acknowledged.keys).union(texts.keys).union(pending?.keys ?? [:].keys) {
        let found = texts[account]
        let isRight =
          found == acknowledged[account] || pending.map { found == $0[account] } ?? false
        if !isRight {
          Issue.record(
            """
            \(comment.rawValue): \(account) is \(found ?? "absent"), and was \(acknowledged[account] ?? "absent")
            """)
        }
      }
      #expect(try object.verify().isSound, comment)
      try checkExport(comment)
      try object.add("new", account: "new")
      let other = vault.open()
      try unlock(other)
      #expect(try other.texts() == texts.merging(["new": "new"]) { $1 }, comment)
      #expect(try other.verify().isSound, comment)
      let leftovers = try vault.names().filter { $0.hasSuffix(".tmp") }
      #expect(leftovers.isEmpty, comment)
      return isDamaged ? nil : texts
    } catch {
      Issue.record("\(comment.rawValue): \(error)")
      return nil
    }
  }

  /// Checks that the export is complete or absent.
  private func checkExport(_ comment: Comment) throws {
    guard try FileSystem().status(of: exportPath) != nil else { return }
    let target = TestVault()
    _ = try target.open().importItems(
      from: URL(filePath: exportPath), passphrase: Self.passphrase)
    #expect(try target.open().texts().count == 3, comment)
  }
}

extension SecretVault {
  /// Changes an item's accessibility; two records if the attributes' key changes with it.
  fileprivate func move(_ account: String, to accessibility: Accessibility) throws {
    let item = try #require(try item(account))
    _ = try update(
      item.id, expecting: item.revision,
      attributes: ItemAttributes(accessControl: AccessControl(accessibility)), secret: nil)
  }
}
