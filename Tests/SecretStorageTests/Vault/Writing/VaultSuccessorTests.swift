import CLibrary
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Power failures after processes that were killed, or could not flush, and others that wrote on.
struct VaultSuccessorTests {
  @Test(arguments: [true, false], [true, false])
  func acknowledgedWritesOutlastEarlierProcesses(_ isNew: Bool, _ hasNamelessFiles: Bool) throws {
    for seed in 0..<Campaign.size(sample: 5, full: 100) {
      var generator = Campaign.generator(seed * 4 + (isNew ? 2 : 0) + (hasNamelessFiles ? 1 : 0))
      let history = try SuccessionHistory(isNew, hasNamelessFiles, using: &generator)
      // A process may stop as soon as its write is acknowledged.
      for _ in 0..<Campaign.size(sample: 5, full: 25) {
        let time = history.journal.acknowledgments.randomElement(using: &generator) ?? 0
        let odds = [0, 0, 4].randomElement(using: &generator)
        try history.cut(after: time, odds: odds, using: &generator)
        let any = Int.random(in: 0...history.changes.count, using: &generator)
        try history.cut(after: any, odds: nil, using: &generator)
      }
    }
  }
}

/// The work of several processes on a vault on a modeled disk.
private struct SuccessionHistory {
  private let vault: TestVault
  private let disk: ModeledDisk
  let journal: ModeledJournal
  let changes: [ModeledDisk.Change]

  init(_ isNew: Bool, _ hasNamelessFiles: Bool, using generator: inout SeededGenerator) throws {
    let vault = TestVault(batchSize: 2)
    try FileSystem().makeDirectories(vault.statePath)
    let maker = vault.open()
    if !isNew { for account in ["a", "b"] { try maker.add("first", account: account) } }
    var journal = ModeledJournal(before: try maker.texts())
    let directories = [vault.path.parentDirectory, vault.statePath]
    let disk = try ModeledDisk(directories, hasNamelessFiles: hasNamelessFiles)
    func open(_ process: ModeledProcess) -> SecretVault {
      vault.open(fileSystem: process.fileSystem(on: disk) { directories.contains($0) })
    }
    // Two processes at a time.
    var processes = [ModeledProcess(using: &generator), ModeledProcess(using: &generator)]
    var objects = processes.map(open)
    for number in 0..<16 {
      let index = Int.random(in: 0...1, using: &generator)
      let work = Int.random(in: 0..<8, using: &generator)
      let account = ["a", "b", "c"].randomElement(using: &generator) ?? "a"
      do {
        try Self.perform(work, number, account, by: objects[index], on: disk, &journal)
      } catch SecretStoreError.uncertain(_, EIO) {
        // The journal allows for either outcome.
      } catch {
        #expect(processes[index].isKilled, "Work \(work) by a running process: \(error)")
      }
      if processes[index].isKilled {
        processes[index] = ModeledProcess(using: &generator)
        objects[index] = open(processes[index])
      }
    }
    (self.vault, self.disk, self.journal, changes) = (vault, disk, journal, disk.changes)
  }

  private static func perform(
    _ work: Int, _ number: Int, _ account: String, by object: SecretVault, on disk: ModeledDisk,
    _ journal: inout ModeledJournal
  ) throws {
    switch work {
    case 0: try object.compact()
    case 1: try object.rotateKeys(removingOtherSlots: true)
    case 2: _ = try object.addRecoveryCode(named: "code")
    case 3:
      guard let item = try object.item(account) else { return }
      try journal.write(account, nil, on: disk) {
        try object.remove(item.id, expecting: item.revision)
      }
    default:
      let exists = try object.item(account) != nil
      try journal.write(account, "\(number)", on: disk) {
        let value = "\(number)"
        _ = try exists ? object.change(account, to: value) : object.add(value, account: account)
      }
    }
  }

  /// Cuts the power after a number of changes, and checks and uses the remains.
  func cut(after count: Int, odds: Int?, using generator: inout SeededGenerator) throws {
    try disk.install(disk.files(cutAfter: count, of: changes, odds: odds, using: &generator))
    let comment = Comment("cut after \(count) of \(changes.count) with odds \(odds ?? -1)")
    let object = vault.open()
    do {
      let texts = try object.texts()
      #expect(journal.losses(in: texts, at: count) == [], comment)
      #expect(try object.verify().isSound, comment)
      try object.add("new", account: "new")
      #expect(try object.texts() == texts.merging(["new": "new"]) { $1 }, comment)
    } catch {
      Issue.record("\(comment.rawValue): \(error)")
    }
  }
}
