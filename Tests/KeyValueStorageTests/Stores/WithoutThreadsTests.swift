import CLibrary
import TestSupport
import Testing

@testable import KeyValueStorage

/// A process that cannot create threads.
struct WithoutThreadsTests {
  private static let other: uid_t = 65533

  @Test func settingsWorkWithoutThreads() throws {
    let file = try TestFile()
    if geteuid() == 0 {
      // Root is exempt from the limit.
      try #require(unsafe chown(file.directory, Self.other, Self.other) == 0)
    }
    let child = try SettingsChild("withoutThreads", ["\(Self.other)"], on: file)
    try child.process.wait()
    let lines = try child.lines
    // Each of the three stores for the file reports once that it cannot observe changes.
    let reports = lines.filter { $0.hasPrefix("report") }
    #expect(reports.allSatisfy { $0.contains("pthread_create of \(file.path)") }, "\(reports)")
    #expect(reports.count == 3)
    #expect(
      lines.filter { !$0.hasPrefix("report") } == [
        "set\t-", "get\t1", "change\t-", "load\t-", "save\t-", "keys\tnumber", "observed\t-",
        "synchronize\t-", "get\t1", "over",
      ])
    #expect(try file.values() == ["number": 5, "synchronized": 1, "atExit": 1])
  }
}
