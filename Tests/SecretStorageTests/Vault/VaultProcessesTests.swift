import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// One vault used by several processes with several threads, or by processes that are killed.
struct VaultProcessesTests {
  private let vault = TestVault()

  @Test func processesLoseNoAcknowledgedWrite() throws {
    let rounds = "\(Campaign.size(sample: 8, full: 1_000))"
    let paths = try (0..<Campaign.size(sample: 4, full: 8)).map { try vault.path("journal-\($0)") }
    let children = try paths.enumerated().map { number, path in
      number % 2 == 0
        ? try ChildProcess("write", on: vault, ["3", rounds, "p\(number)"], journal: path)
        : try ChildProcess("compact", on: vault, [rounds, "p\(number)"], journal: path)
    }
    for child in children { try child.wait() }
    var journal = VaultJournal()
    for path in paths { try journal.add(path) }
    let object = vault.open()
    try journal.check(object)
    let verification = try object.verify()
    #expect(verification.isSound, "\(verification.damage)")
    #expect(try verification.itemCount == object.items(matching: .all).count)
    // A process may have ended during a compaction in the background.
    try object.compact()
    try journal.check(object)
    #expect(try vault.temporaryNames() == [])
  }

  @Test func incrementsAreLinearizableDespiteKills() throws {
    let object = try vault.open().adding("0", account: "counter")
    let directory = try vault.path("journals")
    try FileSystem().makeDirectories(directory)
    let history = try CounterHistory(
      ofProcesses: Campaign.size(sample: 4, full: 16), kills: Campaign.size(sample: 3, full: 400),
      in: directory
    ) { journal in
      try ChildProcess("count", on: vault, ["\(directory)/stop"], journal: journal)
    }
    let final = try #require(try object.text("counter").flatMap { Int($0) })
    #expect(history.contradictions(atEnd: final) == [])
    #expect(try object.verify().isSound)
  }

  /// Checks that the next replacement of the file removes the remains of killed writers.
  private func expectNoLitter(_ vault: TestVault, after object: SecretVault) throws {
    // A process killed before its vault was in place leaves nothing to compact.
    guard try FileSystem().status(of: vault.path) != nil else { return }
    try object.compact()
    #expect(try vault.temporaryNames() == [])
  }

  @Test(arguments: [
    ("write", ["2", "-", "w"], ChildProcess.lines([1, 7, 40], campaign: 300, 1)),
    ("compact", ["-", "c"], ChildProcess.lines([1, 6], campaign: 200, 2)),
  ])
  func killedProcessLosesNoAcknowledgedWrite(
    _ mode: String, _ parameters: [String], _ lines: [Int]
  ) throws {
    var vault = TestVault()
    var journal = VaultJournal()
    for (round, line) in lines.enumerated() {
      if round % 20 == 0 { (vault, journal) = (TestVault(), VaultJournal()) }
      let part = try vault.path("journal-\(round)")
      let last = try #require(parameters.last)
      let child = try ChildProcess(
        mode, on: vault, parameters.dropLast() + ["\(last)\(round)"], journal: part)
      try child.kill(after: line, of: part)
      try journal.add(part)
      let object = vault.open()
      // This item exists, and is empty, before its first change in the journal.
      let empty = try object.text("c\(round)") == "" ? ["c\(round)"] : []
      try journal.check(object, but: Set(empty))
      #expect(try object.verify().isSound)
      for account in empty { try object.remove(account) }
      if round % 5 == 0 { try expectNoLitter(vault, after: object) }
    }
    #expect(journal.acknowledgmentCount > 0)
  }

  @Test func killedCreatorLeavesNoIncompleteVault() throws {
    for line in ChildProcess.lines([1, 2, 9], campaign: 100, 3) {
      let vault = TestVault()
      let path = try vault.path("journal")
      try ChildProcess("create", on: vault, ["-"], journal: path).kill(after: line, of: path)
      let journal = try VaultJournal(path)
      for name in journal.accountNames {
        let object = vault.open(at: try vault.path(name))
        let value = try object.text(name)
        #expect(journal.explains(value, of: name), "\(name) is \(value ?? "absent")")
        #expect(try object.verify().isSound)
        if value == nil { try object.add("again", account: name) }
      }
      #expect(try vault.names().filter { $0.hasSuffix(".tmp") } == [])
    }
  }

  @Test func killedPassphraseChangeLeavesOnePassphrase() throws {
    for line in ChildProcess.lines([1, 4, 7], campaign: 100, 4) {
      let vault = TestVault()
      try vault.open().addMany(5)
      let path = try vault.path("journal")
      try ChildProcess("passphrase", on: vault, ["-"], journal: path).kill(after: line, of: path)
      let journal = try VaultJournal(path)
      let object = vault.open()
      if try object.hasPassphrase {
        let opening = try journal.values(of: "passphrase")
          .filter { try object.isPassphrase(Secret($0.utf8)) }
        #expect(opening.count == 1)
        try object.unlock(with: .passphrase(Secret(try #require(opening.first).utf8)))
      } else {
        #expect(journal.acknowledgmentCount == 0)
      }
      try object.expectSound(SecretVault.many(5))
      try expectNoLitter(vault, after: object)
    }
  }
}
