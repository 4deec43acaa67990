import SecretStorage
import StorageInternals
import TestSupport
import Testing

/// One vault used by several processes with several threads each.
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
}
