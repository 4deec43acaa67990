import CLibrary
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// The idleness of a store that has no work.
struct QuietProcessTests {
  /// The thread sanitizer's own thread wakes continuously.
  @Test(.disabled(if: ThreadSanitizer.isActive)) func waitingProcessDoesNotWake() throws {
    let file = try TestFile()
    try file.open().set(1, for: "number")
    let child = try SettingsChild("watch", on: file, output: "\(file.directory)/output")
    try child.wait(for: "ready")
    // Threads of the process's start may still have work, and end.
    let seconds = UInt32(Campaign.size(sample: 2, full: 20))
    try wait {
      let before = try wakeUps(of: child)
      sleep(seconds)
      return try wakeUps(of: child) == before
    }
    // The process observed the file throughout.
    try file.open().set(2, for: "number")
    try child.wait(for: "2")
    #expect(try child.lines == ["ready", "2"])
  }

  /// The number of each thread's voluntary context switches.
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
    #expect(!store.hasTimer)
    number.wrappedValue = 1
    #expect(store.hasTimer)
    try wait { !store.hasTimer }
    try store.synchronize()
    #expect(try file.open().value(of: "number") == 1)
    #expect(!store.hasTimer)
    observation.cancel()

    let durable = file.open()
    StoredValue(wrappedValue: 0, "number", in: durable).wrappedValue = 2
    #expect(!durable.hasTimer)
  }
}
