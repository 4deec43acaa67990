import CLibrary
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// A process that cannot create threads.
struct WithoutThreadsTests {
  private static let other: uid_t = 65533

  @Test(arguments: KeyValueFormat.allCases)
  func settingsWorkWithoutThreads(_ format: KeyValueFormat) throws {
    let file = try TestFile(format)
    let lines = try output(of: "withoutThreads", on: file)
    // Each of the three stores for the file reports once that it cannot observe changes.
    let told = lines.filter { $0.hasPrefix("told") }
    #expect(told.allSatisfy { $0.contains("pthread_create of \(file.path)") }, "\(told)")
    #expect(told.count == 3)
    #expect(
      lines.filter { !$0.hasPrefix("told") } == [
        "set\t-", "get\t1", "change\t-", "load\t-", "save\t-", "keys\tnumber", "observed\t-",
        "synchronize\t-", "get\t1", "over",
      ])
    let store = file.open()
    #expect(try store.value(of: "number") == 5)
    #expect(try store.value(of: "synchronized") == 1)
    #expect(try store.value(of: "atExit") == 1)
  }

  /// The methods run on the task's thread instead of a thread of the store.
  @Test(arguments: KeyValueFormat.allCases)
  func settingsCanBeAwaitedWithoutThreads(_ format: KeyValueFormat) throws {
    let file = try TestFile(format)
    #expect(
      try output(of: "awaitWithoutThreads", on: file).filter { !$0.hasPrefix("told") }
        == ["set\t1", "save\t2", "load\t2", "transaction\t3", "over"])
    #expect(try file.open().value(of: "number") == 3)
  }

  /// Returns the lines that a process prints.
  private func output(of mode: String, on file: TestFile) throws -> [String] {
    if geteuid() == 0 {
      // Root is exempt from the limit.
      try #require(unsafe chown(file.directory, Self.other, Self.other) == 0)
    }
    let child = try SettingsChild(
      mode, ["\(Self.other)"], on: file, output: "\(file.directory)/output")
    try wait { child.process.hasEnded }
    try child.process.wait()
    return try child.lines
  }
}
