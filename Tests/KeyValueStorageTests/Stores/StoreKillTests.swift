import CLibrary
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

struct StoreKillTests {
  private static let processes = ["a", "b"]
  private static let ways = ["durable", "coalesced"]
  private static let kinds: [(KeyValueFormat, String)] =
    Campaign.isFull
    ? KeyValueFormat.allCases.flatMap { format in ways.map { (format, $0) } }
    : Array(zip([KeyValueFormat.json, .binary], ways))

  @Test(arguments: kinds)
  func acknowledgedWritesSurviveAKill(_ format: KeyValueFormat, _ way: String) throws {
    let file = try TestFile(format)
    var generator = Campaign.generator()
    var journal = ModeledJournal()
    var interruptedCount = 0
    for round in 0..<Campaign.size(sample: 2, full: 50) {
      let paths = Self.processes.map { "\(file.directory)/journal-\($0)-\(round)" }
      let children = try zip(Self.processes, paths).map { process, path in
        try SettingsChild("write", [way, process, "round \(round)"], on: file, output: path)
      }
      let progress = Int.random(
        in: 1_000...Campaign.size(sample: 3_000, full: 20_000), using: &generator)
      try wait(for: children[0].process) {
        try FileSystem().status(of: paths[0])?.size ?? 0 >= progress
      }
      // The processes were killed during their work, and did not fail by themselves.
      for child in children { #expect(child.kill() == SIGKILL) }
      for path in paths { try journal.add(path) }
      if try !file.temporaryFiles.isEmpty { interruptedCount += 1 }
      try expect(journal, in: file)
    }
    #expect(!journal.acknowledgments.isEmpty)
    if Campaign.isFull { print("\(format) \(way): \(interruptedCount) of 50 kills during a write") }
  }

  /// Several processes with two threads each that use one file.
  @Test(arguments: Campaign.isFull ? KeyValueFormat.allCases : [.json])
  func historyOfKilledProcessesIsLinearizable(_ format: KeyValueFormat) throws {
    let file = try TestFile(format)
    let directory = "\(file.directory)/journals"
    try FileSystem().makeDirectories(directory)
    let history = try CounterHistory(
      ofProcesses: Campaign.size(sample: 4, full: 16),
      kills: Campaign.size(sample: 2, full: 400), in: directory
    ) { journal in
      try SettingsChild("count", ["\(directory)/stop"], on: file, output: journal).process
    }
    let final = try #require(try file.values()["number"])
    #expect(history.contradictions(atEnd: final) == [])
    #expect(history.acknowledgedCount > 0)
  }

  private func expect(_ journal: ModeledJournal, in file: TestFile) throws {
    let store = file.open()
    var found: [String: String] = [:]
    for key in try store.keys() where key != "afterwards" { found[key] = try store.value(of: key) }
    // No other process is running, so the first access removes the temporary files.
    #expect(try file.temporaryFiles == [])
    #expect(journal.losses(in: found) == [])
    for thread in Self.processes.flatMap({ ["\($0) 0", "\($0) 1"] }) {
      #expect(found["\(thread) first"] == found["\(thread) second"])
    }
    try store.set("x", for: "afterwards")
    #expect(try file.temporaryFiles == [])
  }
}
