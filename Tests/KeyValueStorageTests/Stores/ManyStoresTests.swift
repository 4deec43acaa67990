import CLibrary
import Concurrency
import Dispatch
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

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

  /// Runs in a separate process, because the handler of failures is global.
  @Test func blockedHandlersDelayOnlyTheirStores() async {
    await #expect(processExitsWith: .success) {
      recordingErrors {
        let file = try TestFile(inMemory: true, values: ["number": 0])
        let gate = DispatchSemaphore(value: 0)
        let blocked = (0..<16).map { _ in
          let property = file.number()
          return (property, property.observe { _, _ in gate.wait() })
        }
        let count = Campaign.size(sample: 200, full: 1000)
        let heard = Lock(Set<Int>())
        let others = (0..<count).map { number in
          let property = file.number()
          return (property, property.observe { _, _ in heard.withLock { _ = $0.insert(number) } })
        }
        let coalesced = file.open(.coalesced(within: .milliseconds(1)))
        // The stores detect the damage on threads of the library.
        KeyValueStore.onFailure = { _ in gate.wait() }
        let damaged = try (0..<8).map { _ in
          let file = try TestFile(inMemory: true, values: ["number": 0])
          let store = file.openPatiently(
            patienceOfBackend: .milliseconds(200), patience: .milliseconds(1))
          #expect(file.number(in: store).wrappedValue == 0)
          try file.overwrite("{")
          return (file, store)
        }
        for (_, store) in damaged { try wait { store.state.withLock { $0.readError != nil } } }
        try file.open().set(1, for: "number")
        try wait { heard.withLock { $0.count } == count }
        StoredValue(wrappedValue: 0, "later", in: coalesced).wrappedValue = 1
        let reader = file.open()
        try wait { try reader.value(of: "later") == 1 }
        // Two pools, and the thread of inotify; those that have left a pool are about to end.
        try wait { try FileSystem().threads(named: "locket").count <= 2 * 64 + 1 }
        for _ in 0..<100 { gate.signal() }
        withExtendedLifetime((blocked, damaged, others)) {}
      }
    }
  }
}

struct PolledStoreTests {
  /// Runs in a separate process, because the handler of failures is global.
  @Test func changeByAFailureHandlerIsKept() async {
    await #expect(processExitsWith: .success) {
      recordingErrors {
        let file = try TestFile(inMemory: true)
        let store = file.open(.durable, Outage(of: .inotify, code: EMFILE).fileSystem)
        let number = file.number(in: store)
        let hasFailed = Lock(false)
        KeyValueStore.onFailure = { _ in
          if !hasFailed.exchange(true) { number.wrappedValue = 2 }
        }
        // The write of this value finds that the file cannot be watched.
        number.wrappedValue = 1
        #expect(hasFailed.withLock { $0 })
        #expect(number.wrappedValue == 2)
        #expect(try file.values() == ["number": 2])
      }
    }
  }

  @Test func unwatchedStoreNotifiesObserversAndStreams() async throws {
    let file = try TestFile()
    let outage = Outage(of: .inotify, code: EMFILE)
    let store = file.openPatiently(.durable, outage.fileSystem)
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
    outage.end()
    try await suspend {
      PolledPaths.check()
      return !store.state.withLock { $0.needsReading }
    }
    try file.open().set(2, for: "number")
    heard.wait(for: 2)
    #expect(number.wrappedValue == 2)
  }
}
