import CLibrary
import FoundationEssentials
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
    var journal = SettingsJournal()
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
      for path in paths { try journal.read(path) }
      if try !file.temporaryFiles.isEmpty { interruptedCount += 1 }
      try expect(journal, in: file)
    }
    #expect(journal.acknowledgmentCount > 0)
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

  private func expect(_ journal: SettingsJournal, in file: TestFile) throws {
    let store = file.open()
    var found: [String: String] = [:]
    for key in try store.keys() where key != "afterwards" { found[key] = try store.value(of: key) }
    // No other process is running, so the first access removes the temporary files.
    #expect(try file.temporaryFiles == [])
    journal.check(found)
    for thread in Self.processes.flatMap({ ["\($0) 0", "\($0) 1"] }) {
      #expect(found["\(thread) first"] == found["\(thread) second"])
    }
    try store.set("x", for: "afterwards")
    #expect(try file.temporaryFiles == [])
  }
}

/// The journals of child processes' writes, for comparison with a store.
private struct SettingsJournal {
  private struct Entry {
    /// The last acknowledged value; nil for none or a removal.
    var acknowledged: String?
    /// Values that were being written since then, perhaps by a killed process.
    var pending: [String?] = []

    func explains(_ value: String?) -> Bool {
      value == acknowledged || pending.contains(value)
    }
  }

  private var entries: [String: Entry] = [:]
  private(set) var acknowledgmentCount = 0

  /// Adds a journal, whose last line may be incomplete.
  mutating func read(_ path: String) throws {
    let lines = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    for line in lines {
      let parts = line.split(separator: "\t").map(String.init)
      try #require(parts.count == 3)
      let value = parts[2] == "-" ? nil : parts[2]
      if parts[0] == "+" {
        entries[parts[1], default: Entry()].pending.append(value)
      } else {
        entries[parts[1]] = Entry(acknowledged: value)
        acknowledgmentCount += 1
      }
    }
  }

  /// Records an issue for each acknowledged write that is missing, and each value never written.
  func check(_ found: [String: String]) {
    for key in Set(found.keys).union(entries.keys) {
      let entry = entries[key] ?? Entry()
      if !entry.explains(found[key]) {
        Issue.record("\(key) is \(found[key] ?? "absent"), which is not explained by \(entry)")
      }
    }
  }
}
