import CLibrary
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// Processes that are killed at random moments of their work on a file.
struct StoreKillTests {
  private static let kinds = KeyValueFormat.allCases.flatMap { format in
    ["durable", "coalesced"].map { (format, $0) }
  }

  @Test(arguments: kinds)
  func acknowledgedWritesOfKilledProcessesAreThere(
    _ format: KeyValueFormat, _ way: String
  ) throws {
    let batches = Campaign.size(sample: 1, full: 5)
    var interruptedCount = 0
    for _ in 0..<batches {
      let file = try TestFile(format)
      var journal = SettingsJournal()
      for round in 0..<Campaign.size(sample: 2, full: 10) {
        let path = "\(file.directory)/journal-\(round)"
        try kill(way, round, at: file, journal: path)
        try journal.read(path)
        if try !file.temporaryFiles.isEmpty { interruptedCount += 1 }
        try expect(journal, in: file)
      }
      #expect(journal.acknowledgementCount > 0)
      journal.check(try PythonSettings.values(of: file).filter { $0.key != "afterwards" })
    }
    // Without temporary files, no process was killed during a write.
    if Campaign.isFull { #expect(interruptedCount > 0) }
  }

  /// Starts a child and kills it at a random moment after its first write began.
  private func kill(
    _ way: String, _ round: Int, at file: TestFile, journal: String
  ) throws {
    let child = try SettingsChild("write", [way, "round \(round)"], on: file, output: journal)
    // A random progress, whatever the machine's speed, and a random moment of a write.
    let progress = Int.random(in: 1...Campaign.size(sample: 5_000, full: 20_000))
    try wait { try FileSystem().status(of: journal)?.size ?? 0 >= progress }
    usleep(UInt32.random(in: 0..<5000))
    child.process.stop()
    // The process was killed during its work, and did not fail by itself.
    #expect(child.process.end() == SIGKILL)
  }

  private func expect(_ journal: SettingsJournal, in file: TestFile) throws {
    let store = file.open()
    var found: [String: String] = [:]
    for key in try store.keys() where key != "afterwards" { found[key] = try store.value(of: key) }
    // No other process is running, so the first access removes the temporary files.
    #expect(try file.temporaryFiles == [])
    journal.check(found)
    for thread in 0..<2 {
      #expect(found["\(thread) first"] == found["\(thread) second"])
    }
    try store.set("x", for: "afterwards")
    #expect(try file.temporaryFiles == [])
  }
}
