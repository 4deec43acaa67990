import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// Several processes with two threads each that use one file.
struct StoreProcessesTests {
  @Test(arguments: Campaign.isFull ? KeyValueFormat.allCases : [.json])
  func orderOfSixteenProcessesIsOneThatAllSawWhileSomeAreKilled(_ format: KeyValueFormat) throws {
    let file = try TestFile(format)
    let directory = "\(file.directory)/journals"
    try FileSystem().makeDirectories(directory)
    let history = try CounterHistory(
      ofProcesses: 16, kills: Campaign.size(sample: 4, full: 400), in: directory
    ) { journal in
      try SettingsChild("count", ["\(directory)/stop"], on: file, output: journal).process
    }
    let final = try #require(try file.open().value(of: "number", as: Int.self))
    #expect(history.contradictions(atEnd: final) == [])
    #expect(history.acknowledgedCount > 16)
  }

  @Test(arguments: KeyValueFormat.allCases)
  func keysOfAllProcessesAreThereAndTheCounterIsExact(_ format: KeyValueFormat) throws {
    let file = try TestFile(format)
    let count = Campaign.size(sample: 5, full: 200)
    let ways = ["property", "save", "transaction", "coalesced"]
    let children = try (0..<8).map { number in
      try SettingsChild(
        "fill", [ways[number % 4], "process \(number)", "\(count)"], on: file,
        output: "\(file.directory)/output")
    }
    for child in children { try child.process.wait() }

    var expected = ["counter": 16 * count]
    for child in 0..<8 {
      for thread in 0..<2 {
        for number in 0..<count { expected["process \(child)-\(thread)-\(number)"] = number }
      }
    }
    let store = file.open()
    var found: [String: Int] = [:]
    for key in try store.keys() { found[key] = try store.value(of: key) }
    #expect(found == expected)
    #expect(try PythonSettings.values(of: file) == expected.mapValues(String.init))
    #expect(try file.temporaryFiles == [])
  }
}
