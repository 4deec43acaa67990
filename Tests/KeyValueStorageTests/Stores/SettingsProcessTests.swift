import CLibrary
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// Processes that end in each of the ways, fork, cannot create threads, or have no work.
struct SettingsProcessTests {
  @Test(arguments: zip(["return", "exit", "terminate"], KeyValueFormat.allCases))
  func normalEndWritesEverything(_ way: String, _ format: KeyValueFormat) throws {
    let file = try TestFile(format)
    let child = try SettingsChild("end", [way], on: file)
    if way == "terminate" {
      try child.wait(for: "ready")
      #expect(try FileSystem().status(of: file.path) == nil)
      child.process.signal(SIGTERM)
    }
    try child.process.wait()
    let store = file.open()
    #expect(try store.value(of: "number") == 1)
    #expect(try store.value(of: "name") == "name")
    #expect(try file.temporaryFiles == [])
  }

  /// The end is without exit handlers, or in a transaction.
  @Test(arguments: ["quickExit", "exec", "transaction", "durableTransaction"])
  func abruptOrUnfinishedEndWritesNothing(_ way: String) throws {
    let file = try TestFile(values: ["number": 5])
    let before = try file.bytes
    try SettingsChild("end", [way], on: file).process.wait()
    #expect(try file.bytes == before)
    #expect(try file.temporaryFiles == [])
    try file.open().set(6, for: "number")
  }

  @Test func endInAnInPlaceChangeWritesTheOtherKeys() throws {
    let file = try TestFile()
    try SettingsChild("end", ["change"], on: file).process.wait()
    #expect(try file.text == "{\n  \"name\": \"name\"\n}\n")
  }

  @Test func endInAnInPlaceChangeAwaitsNoTransaction() throws {
    let file = try TestFile()
    let child = try SettingsChild("end", ["changeBesideTransaction"], on: file)
    try child.process.wait()
    let lines = try child.lines
    #expect(lines.count == 1 && lines[0].contains("\"unsaved\""), "\(lines)")
    #expect(try FileSystem().status(of: file.path) == nil)
  }

  @Test func killedProcessLeavesAUsableFile() throws {
    let file = try TestFile()
    let child = try SettingsChild("end", ["wait"], on: file)
    try child.wait(for: "ready")
    #expect(child.kill() == SIGKILL)
    let store = file.open()
    #expect(try store.keys() == [])
    try store.set(2, for: "number")
    #expect(try file.values() == ["number": 2])
  }

  /// The parent uses settings on many threads.
  @Test(.forks, arguments: Campaign.isFull ? KeyValueFormat.allCases : [.json])
  func forkedChildrenReadAndWriteNothing(_ format: KeyValueFormat) throws {
    let file = try TestFile(format, values: ["known": 7])
    // Twelve kinds of use.
    let count = Campaign.size(sample: 24, full: 1_200)
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

  private static let other: uid_t = 65533

  @Test func settingsWorkWithoutThreads() throws {
    let file = try TestFile()
    // Root is exempt from the limit.
    if geteuid() == 0 { try #require(unsafe chown(file.directory, Self.other, Self.other) == 0) }
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

  private static let showsSystemCalls: Bool = {
    do {
      // The file has no size.
      let file = try FileSystem().open("/proc/self/syscall", 0)
      return try !file.read(from: 0, count: 4096).isEmpty
    } catch {
      return false
    }
  }()

  // The number of `read`, which has no timeout.
  #if arch(x86_64)
    private static let read = "0"
  #else
    private static let read = "63"
  #endif

  /// The thread sanitizer has a thread of its own.
  @Test(
    .disabled(if: ThreadSanitizer.isActive),
    .enabled(
      if: showsSystemCalls && ProcessMemory.isReadable,
      "The kernel does not show the system calls of threads."))
  func idleProcessWaitsWithoutATimeout() throws {
    let file = try TestFile(values: ["number": 1])
    let child = try SettingsChild("watch", on: file)
    try child.wait(for: "ready")
    // Idle threads end, and the others begin to wait.
    var calls: [String: [String]] = [:]
    try wait(for: child.process) {
      calls = try Self.systemCalls(of: child.process)
      return calls.keys.sorted() == ["SettingsProcess", "locket-inotify"]
        && calls["locket-inotify"]?.first == Self.read
    }
    // The process observed the file throughout.
    try file.open().set(2, for: "number")
    try child.wait(for: "2")
    #expect(try child.lines == ["ready", "2"])
  }

  /// Returns the words of the current system call of each thread; empty if a thread has ended.
  private static func systemCalls(of process: ChildProcess) throws -> [String: [String]] {
    let tasks = "/proc/\(process.identifier)/task"
    var calls: [String: [String]] = [:]
    do throws(SystemError) {
      for task in try FileSystem().entries(of: tasks) {
        let texts = try ["comm", "syscall"].map { name throws(SystemError) in
          let file = try FileSystem().open("\(tasks)/\(task)/\(name)", 0)
          return String(decoding: try file.read(from: 0, count: 4096), as: UTF8.self)
        }
        calls[String(texts[0].dropLast())] = texts[1].split(separator: " ").map(String.init)
      }
    } catch {
      return [:]
    }
    return calls
  }
}
