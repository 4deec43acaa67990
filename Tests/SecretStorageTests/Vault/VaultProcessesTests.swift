import SecretStorage
import StorageInternals
import TestSupport
import Testing

/// One vault used by several processes with several threads each.
struct VaultProcessesTests {
  private let vault = TestVault()

  @Test func everyAcknowledgedWriteOfManyProcessesIsThere() throws {
    let seconds = Campaign.size(sample: 2, full: 10)
    let journals = try (0..<8).map { try vault.path("journal-\($0)") }
    try withChildren(journals) { journal, number in
      try ChildProcess("write", on: vault, ["4", "\(seconds)", "p\(number)"], journal: journal)
    }
    try expectAll(in: journals)
  }

  @Test func incrementsOfManyProcessesAddUp() throws {
    let count = Campaign.size(sample: 25, full: 250)
    let object = vault.open()
    try object.add("0", account: "counter")
    let journals = try (0..<4).map { try vault.path("journal-\($0)") }
    try withChildren(journals) { journal, _ in
      try ChildProcess("increment", on: vault, ["\(count)"], journal: journal)
    }
    #expect(try object.text("counter") == "\(4 * count)")
    #expect(try object.verify().isSound)
  }

  @Test func orderOfSixteenProcessesIsOneThatAllSawWhileSomeAreKilled() throws {
    let object = vault.open()
    try object.add("0", account: "counter")
    let directory = try vault.path("journals")
    try FileSystem().makeDirectories(directory)
    let history = try CounterHistory(
      ofProcesses: 16, kills: Campaign.size(sample: 4, full: 400), in: directory
    ) { journal in
      try ChildProcess("count", on: vault, ["\(directory)/stop"], journal: journal)
    }
    let final = try #require(try object.text("counter").flatMap { Int($0) })
    #expect(history.contradictions(atEnd: final) == [])
    #expect(history.acknowledgedCount > 16)
    #expect(try object.verify().isSound)
  }

  @Test func processesThatCompactLoseNothingOfThoseThatWrite() throws {
    let seconds = Campaign.size(sample: 1, full: 10)
    let journals = try (0..<4).map { try vault.path("journal-\($0)") }
    try withChildren(journals) { journal, number in
      number < 2
        ? try ChildProcess("write", on: vault, ["2", "\(seconds)", "p\(number)"], journal: journal)
        : try ChildProcess("compact", on: vault, ["\(seconds)", "p\(number)"], journal: journal)
    }
    try expectAll(in: journals)
  }

  @Test func otherProcessReadsWhatWasWritten() throws {
    try vault.open().add("from this process", account: "account")
    let output = try vault.path("output")
    try ChildProcess("read", on: vault, ["account"], journal: output).wait()
    #expect(try TestVault.bytes(of: output) == Array("from this process\n".utf8))
  }

  private func withChildren(
    _ journals: [String], _ spawn: (String, Int) throws -> ChildProcess
  ) throws {
    let children = try zip(journals, 0...).map(spawn)
    for child in children { try child.wait() }
  }

  private func expectAll(in journals: [String]) throws {
    let whole = try vault.path("journal")
    for journal in journals { try append(journal, to: whole) }
    let journal = try VaultJournal(whole)
    #expect(journal.acknowledgementCount > journals.count)
    let object = vault.open()
    try journal.check(object)
    let verification = try object.verify()
    #expect(verification.isSound, "\(verification.damage)")
    #expect(try verification.itemCount == object.items(matching: .all).count)
    // A process may have ended during its compaction; the next one cleans up.
    try object.compact()
    try journal.check(object)
    let leftovers = try vault.names().filter { $0.hasSuffix(".tmp") }
    #expect(leftovers.isEmpty)
  }

  private func append(_ part: String, to whole: String) throws {
    let bytes = try TestVault.bytes(of: part)
    try TestVault.append(bytes, to: whole)
  }
}
