import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// The idleness of a store that has no work.
struct QuietProcessTests {
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
