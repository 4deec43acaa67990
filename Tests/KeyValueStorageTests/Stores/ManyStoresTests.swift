import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// The kernel resources that observation requires.
struct ManyStoresTests {
  /// Runs in a separate process, where no other test watches a file.
  @Test func storesShareOneInstanceAndOneThread() async {
    await #expect(processExitsWith: .success) {
      recordingErrors {
        let directory = try TemporaryDirectory(inMemory: true)
        let heard = Lock(Set<Int>())
        var observations: [KeyValueObservation] = []
        let settings = (0..<Campaign.size(sample: 100, full: 1000)).map { number in
          // Some are the only one in their directory, and two each have the same file.
          let name = number % 10 == 0 ? "\(number)/settings.json" : "\(number / 2).json"
          let store = KeyValueStore(json: URL(filePath: directory(name)))
          let setting = StoredValue(wrappedValue: 0, "number", in: store)
          observations.append(setting.observe { _, _ in heard.withLock { _ = $0.insert(number) } })
          return setting
        }
        func expectOneInstanceAndThread() throws {
          let targets = try FileSystem().targets(in: "/proc/self/fd")
          #expect(targets.count { $0.contains("inotify") } == 1)
          // Idle threads end.
          try wait { try FileSystem().threads(named: "locket") == ["locket-inotify"] }
        }
        try expectOneInstanceAndThread()

        // A store without observers also detects changes.
        for (number, setting) in settings.enumerated() {
          let other = KeyValueStore(FileBackend(path: setting.store.name, format: .json))
          try other.set(number + 1, for: "number")
          if number % 2 == 1 || number % 10 == 0 { try wait { setting.wrappedValue == number + 1 } }
        }
        try wait { heard.withLock { $0.count } == settings.count }
        try expectOneInstanceAndThread()
        withExtendedLifetime((directory, observations)) {}
      }
    }
  }
}

/// A store whose file the kernel cannot watch.
struct PolledStoreTests {
  @Test func unwatchedStoreNotifiesObserversAndStreams() async throws {
    let file = try TestFile()
    let isRefused = Lock(true)
    let store = file.openPatiently(
      .durable,
      FileSystem { call, _ in call == .inotify && isRefused.withLock { $0 } ? EMFILE : nil })
    let number = file.number(in: store)
    let heard = HeardValues(of: number)
    var values = number.values.makeAsyncIterator()
    #expect(await values.next() == 0)
    // A change is detected by polling alone, without an access.
    try file.open().set(1, for: "number")
    PolledPaths.check()
    heard.wait(for: 1)
    #expect(number.wrappedValue == 1)
    #expect(await values.next() == 1)
    let error = KeyValueStoreError.system(call: "inotify", path: file.path, code: EMFILE)
    #expect(ReportedFailures.count(of: error) == 1)
    #expect("\(error)".contains("fs.inotify.max_user_instances"))

    isRefused.withLock { $0 = false }
    try await suspend {
      PolledPaths.check()
      return !store.state.withLock { $0.needsReading }
    }
    try file.open().set(2, for: "number")
    heard.wait(for: 2)
    #expect(number.wrappedValue == 2)
  }
}
