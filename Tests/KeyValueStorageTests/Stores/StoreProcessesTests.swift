import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// Several processes with two threads each that use one file.
struct StoreProcessesTests {
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
}
