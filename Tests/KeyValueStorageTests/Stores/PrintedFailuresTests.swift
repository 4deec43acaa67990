import Concurrency
import CLibrary
import Dispatch
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// The default handler of failures, in a process of its own.
struct PrintedFailuresTests {
  /// Made outside of those processes, because it sets a handler.
  let directory: TemporaryDirectory
  init() throws { directory = try TemporaryDirectory() }

  /// Files that cannot be parsed, values of other types, and writes that fail, before a success.
  @Test func failureAfterASuccessIsPrintedAgain() async throws {
    let path = directory("settings.json")
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) { [path = path as String] in
      recordingErrors {
        let outage = Outage(of: .open, on: ".lock", isOn: false)
        let backend = FileBackend(path: path, format: .json, fileSystem: outage.fileSystem)
        // Not observed: a thread of the store could end a failure by what it read before.
        let store = KeyValueStore(HookedBackend(base: backend))
        let number = StoredValue(wrappedValue: 0, "number", in: store)
        var lastValid = 0
        for round in 1...4 {
          for text in ["{", "{\n{", #"{"number": "text"}"#, #"{"number": []}"#] {
            try FileSystem().replaceFile(at: path, with: Array(text.utf8))
            #expect(throws: KeyValueStoreError.self) { try number.load() }
            if text.hasPrefix("{\"") {
              for _ in 0..<3 { #expect(number.wrappedValue == lastValid) }
            } else {
              for _ in 0..<3 { KeyValueStore.onFailure(try #require(number.error)) }
            }
          }
          // The success is a read or, after failures, a write.
          if round % 2 == 1 {
            try FileSystem().replaceFile(at: path, with: Array(#"{"number": 1}"#.utf8))
            #expect(try number.load() == 1)
          } else {
            outage.begin()
            for value in 1...3 { number.wrappedValue = 10 * round + value }
            outage.end()
            number.wrappedValue = round
          }
          #expect(number.error == nil)
          lastValid = round % 2 == 1 ? 1 : round
        }
      }
    }
    let lines = message(of: result).split(separator: "\n")
    for (text, count) in [
      ("cannot be read at line 1", 4), ("cannot be read at line 2", 4),
      (#"number is "text", expected a number"#, 4), ("number is an array, expected a number", 4),
      ("open of ", 2),
    ] { #expect(lines.count { $0.contains(text) } == count, "\(text): \(lines)") }
  }

  /// A failure that the library detects, on a thread that may not call the app's handler.
  @Test func failureIsPrintedWhileHandlersAreBlocked() async throws {
    let path = directory("settings.json")
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) { [path = path as String] in
      recordingErrors {
        let store = KeyValueStore(
          FileBackend(path: path, format: .json), .durable, SettingsVersion(0, []),
          gracePeriod: .milliseconds(1))
        let number = StoredValue(wrappedValue: 0, "number", in: store)
        try number.save(1)
        let gate = DispatchSemaphore(value: 0)
        store.state.withLock { $0.observers }.queue.run { gate.wait() }
        try FileSystem().replaceFile(at: path, with: Array("{".utf8))
        try wait { store.state.withLock { $0.readError != nil } }
        // The closure that found the failure has ended before the next one of its queue runs.
        let isOver = DispatchSemaphore(value: 0)
        store.background.run { isOver.signal() }
        isOver.wait()
        withExtendedLifetime(number) {}
      }
    }
    let lines = message(of: result).split(separator: "\n")
    #expect(lines.count { $0.contains("cannot be read at line 1") } == 1)
  }
}
