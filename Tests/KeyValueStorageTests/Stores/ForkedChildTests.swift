import CLibrary
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// Child processes, forked without `exec`, of a parent that uses settings on many threads.
struct ForkedChildTests {
  @Test(.forks, arguments: KeyValueFormat.allCases)
  func childrenAreServedAsFreshProcessesAndWriteNothingOfTheirParent(
    _ format: KeyValueFormat
  ) throws {
    let file = try TestFile(format)
    try file.open().set(7, for: "known")
    let count = Campaign.size(sample: 30, full: 1_000)
    let child = try SettingsChild(
      "fork", ["\(count)"], on: file, output: "\(file.directory)/output")
    try wait { child.process.hasEnded }
    try child.process.wait()
    var lines = try child.lines
    let told = lines.filter { $0.hasPrefix("told") }
    lines.removeAll { $0.hasPrefix("told") }
    #expect(told.count == count / 10)
    #expect(told.allSatisfy { $0.contains("are not notified in a forked child") }, "\(told)")
    #expect(lines.last == "over")
    #expect(lines.count == count + 1)
    for line in lines.dropLast() { #expect(line.hasSuffix("\t0"), "\(line)") }

    let store = file.open()
    #expect(try store.value(of: "unsaved") == 2)
    for number in 0..<count where [1, 2, 3, 5].contains(number % 10) {
      #expect(try store.value(of: "child \(number)") == number)
    }
  }
}
