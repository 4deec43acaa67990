import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

@testable import KeyValueStorage

/// A store that has nothing to do does nothing.
struct QuietProcessTests {
  /// The thread sanitizer has a thread of its own in each process, which wakes all the time.
  @Test(.disabled(if: ThreadSanitizer.isActive)) func waitingProcessDoesNotWake() throws {
    let file = try TestFile()
    try file.open().set(1, for: "number")
    let child = try SettingsChild("watch", on: file, output: "\(file.directory)/output")
    try child.wait(for: "ready")
    // Threads that the process began with may have something left to do, and end.
    let seconds = UInt32(Campaign.size(sample: 2, full: 20))
    try wait {
      let before = try wakeUps(of: child)
      sleep(seconds)
      return try wakeUps(of: child) == before
    }
    // It was listening all the time.
    try file.open().set(2, for: "number")
    try child.wait(for: "2")
    #expect(try child.lines == ["ready", "2"])
  }

  /// How often each thread of the process had waited for something that then came.
  private func wakeUps(of child: SettingsChild) throws -> [String: String] {
    let tasks = "/proc/\(child.process.identifier)/task"
    var result: [String: String] = [:]
    for task in try FileSystem().entries(of: tasks) {
      let status = try FileSystem().open("\(tasks)/\(task)/status", O_RDONLY)
      let text = String(decoding: try status.read(from: 0, count: 65536), as: UTF8.self)
      result[task] = text.split(separator: "\n").first { $0.hasPrefix("voluntary") }
        .map(String.init)
    }
    #expect(!result.isEmpty)
    return result
  }

  @Test func thereIsATimerOnlyWhileSomethingIsUnsaved() throws {
    let file = try TestFile()
    let store = file.open(.coalesced(within: .milliseconds(20)))
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    let observation = number.observe { _, _ in }
    #expect(!store.schedule.isWaiting)
    number.wrappedValue = 1
    #expect(store.schedule.isWaiting)
    try wait { !store.schedule.isWaiting }
    try store.synchronize()
    #expect(try file.open().value(of: "number") == 1)
    #expect(!store.schedule.isWaiting)
    observation.cancel()

    let durable = file.open()
    StoredValue(wrappedValue: 0, "number", in: durable).wrappedValue = 2
    #expect(!durable.schedule.isWaiting)
  }
}
