import TestSupport
import Testing

@testable import KeyValueStorage

/// Child processes, forked without `exec`, of a parent that uses settings on many threads.
struct ForkedChildTests {
  @Test(.forks, arguments: Campaign.isFull ? KeyValueFormat.allCases : [.json])
  func forkedChildrenWriteOnlyTheirOwnChanges(_ format: KeyValueFormat) throws {
    let file = try TestFile(format, values: ["known": 7])
    // Ten kinds of use.
    let count = Campaign.size(sample: 20, full: 1_000)
    let child = try SettingsChild("fork", ["\(count)"], on: file)
    try child.process.wait()
    var lines = try child.lines
    let reports = lines.filter { $0.hasPrefix("report") }
    lines.removeAll { $0.hasPrefix("report") }
    #expect(reports.count == count / 10)
    #expect(reports.allSatisfy { $0.contains("are not notified in a forked child") }, "\(reports)")
    #expect(lines.last == "over")
    #expect(lines.count == count + 1)
    for line in lines.dropLast() { #expect(line.hasSuffix("\t0"), "\(line)") }

    let values = try file.values()
    #expect(values["unsaved"] == 2)
    for number in 0..<count where [1, 2, 3, 5].contains(number % 10) {
      #expect(values["child \(number)"] == number)
    }
  }
}
