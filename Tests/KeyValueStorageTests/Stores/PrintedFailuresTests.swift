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

  /// A file that cannot be parsed, a value of another type, and a write that fails, twice each.
  @Test func failureAfterASuccessIsPrintedAgain() async throws {
    let path = directory("settings.json")
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) { [path = path as String] in
      recordingErrors {
        let isFailing = Lock(false)
        let backend = FileBackend(
          path: path, format: .json,
          fileSystem: FileSystem { call, opened in
            call == .open && opened.hasSuffix(".lock") && isFailing.withLock { $0 } ? EIO : nil
          })
        // Not observed: a thread of the store could end a failure by what it read before.
        let store = KeyValueStore(HookedBackend(base: backend))
        let number = StoredValue(wrappedValue: 0, "number", in: store)
        for round in 1...2 {
          try FileSystem().replaceFile(at: path, with: Array("{".utf8))
          #expect(throws: KeyValueStoreError.self) { try number.load() }
          for _ in 0..<3 { KeyValueStore.onFailure(try #require(number.error)) }

          let text = #"{"number": "text"}"#
          try FileSystem().replaceFile(at: path, with: Array(text.utf8))
          #expect(throws: KeyValueStoreError.self) { try number.load() }
          for _ in 0..<3 { #expect(number.wrappedValue == 0) }

          isFailing.withLock { $0 = true }
          for value in 1...3 { number.wrappedValue = 10 * round + value }
          isFailing.withLock { $0 = false }
          number.wrappedValue = round
          #expect(number.error == nil)
        }
      }
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    for message in ["cannot be read at line 1", "does not have the type Int", "open of "] {
      #expect(text.split(separator: "\n").count { $0.contains(message) } == 2, "\(text)")
    }
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
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.split(separator: "\n").count { $0.contains("cannot be read at line 1") } == 1)
  }
}
