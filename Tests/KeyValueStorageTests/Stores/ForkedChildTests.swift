import TestSupport
import Testing

@testable import KeyValueStorage

/// Child processes, forked without `exec`, of a parent that uses settings on many threads.
struct ForkedChildTests {
  @Test(.forks, arguments: Campaign.isFull ? KeyValueFormat.allCases : [.json])
  func forkedChildrenReadAndWriteNothing(_ format: KeyValueFormat) throws {
    let file = try TestFile(format, values: ["known": 7])
    // Eleven kinds of use.
    let count = Campaign.size(sample: 22, full: 1_100)
    let child = try SettingsChild("fork", ["\(count)"], on: file)
    try child.process.wait()
    let lines = try child.lines
    #expect(lines.count == count + 3)
    for line in lines.dropLast() { #expect(line.hasSuffix("\t0"), "\(line)") }
    #expect(lines.last == "over")

    let values = try file.values()
    // By the parent: two in a transaction and in a change in place that forked.
    #expect(values["unsaved"] == 4)
    #expect(values.keys.allSatisfy { !$0.hasPrefix("child") }, "\(values.keys)")
  }
}
