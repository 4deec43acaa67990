import CLibrary
import Concurrency
import Dispatch
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

@Suite(.timeLimit(.minutes(30))) struct FileBackendSharingTests {
  let file: BackendFile
  init() throws { file = try BackendFile() }

  /// Each replacement has the size of the previous one, and the inode number of the one before.
  @Test func alternatingWritersOfTheSameSizeLoseNothing() throws {
    let backends = [file.open(), file.open()]
    for number in 0..<600 { try backends[number % 2].count("n") }
    #expect(try file.text() == "n=10600\n")
  }

  @Test func writersOnThreadsMergeTheirKeys() throws {
    let backends = [file.open(), file.open()]
    try onThreads(6) { thread in
      for number in 0..<40 {
        try backends[thread % 2].set("\(thread).\(number)", "\(number)")
        try backends[thread % 2].count("n")
      }
    }
    for backend in backends {
      let texts = try backend.texts()
      #expect(texts.count == 241)
      #expect(texts["n"] == "10240")
      for thread in 0..<6 {
        for number in 0..<40 { #expect(texts["\(thread).\(number)"] == "\(number)") }
      }
    }
    #expect(try file.names == [".settings.lock", "settings"])
  }

  @Test func readersSeeWholeFilesWhileOthersWrite() throws {
    let isOver = Lock(false)
    let file = file
    _ = try file.open().update { _ in Self.changes(to: 0) }
    try onThreads(3) { thread in
      let backend = file.open()
      if thread == 0 {
        defer { isOver.withLock { $0 = true } }
        for number in 1...150 { _ = try backend.update { _ in Self.changes(to: number) } }
        return
      }
      var last = 0
      while !isOver.withLock({ $0 }) {
        let texts = try backend.texts()
        #expect(texts.count == 100 && Set(texts.values).count == 1)
        let number = try #require(texts.values.first.flatMap { Int($0) })
        #expect(number >= last)
        last = number
      }
    }
  }

  private static func changes(to number: Int) -> KeyValueChanges {
    var changes = KeyValueChanges()
    for key in 0..<100 { changes.set("\(key)", to: ArraySlice("\(number)".utf8)) }
    return changes
  }

  @Test func observersHearOfOthersUntilTheyAreReleased() throws {
    let backend = file.open()
    let signals = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
    var observations = try signals.map { signal in try backend.observe { signal.signal() } }
    try file.open().set("a", "1")
    for signal in signals { #expect(signal.wait(timeout: .now() + 30) == .success) }
    observations.removeFirst().cancel()
    try file.replace("a=2\n")
    // The other backend may still receive the first change.
    while try backend.texts() != ["a": "2"] {
      #expect(signals[1].wait(timeout: .now() + 30) == .success)
    }
    withExtendedLifetime(observations) {}
  }

  @Test func observersOfAStoreShareAWatch() throws {
    let calls = [1, 5].map { count in
      let watches = CallCount(of: .inotify)
      let store = KeyValueStore(file.open(fileSystem: watches.fileSystem))
      let observations = (0..<count).map { _ in store.observe { _ in } }
      withExtendedLifetime(observations) {}
      return watches.value
    }
    #expect(calls[0] > 0 && calls[0] == calls[1])
  }

  @Test func fileThatCannotBeWatchedIsPolled() throws {
    let fileSystem = FileSystem { call, _ in call == .inotify ? EMFILE : nil }
    let signal = DispatchSemaphore(value: 0)
    let observation = try file.open(fileSystem: fileSystem).observe { signal.signal() }
    #expect(observation.error == .system(call: "inotify", path: file.path, code: EMFILE))
    try file.open().set("a", "1")
    #expect(signal.wait(timeout: .now() + 60) == .success)
  }

  @Test(.forks) func failureToObserveIsThrownInAForkedChild() throws {
    let child = try ForkedChild {
      do throws(KeyValueStoreError) {
        _ = try file.open().observe {}
        _exit(2)
      } catch {
        if error != .system(call: "pthread_create", path: file.path, code: ENOTSUP) { _exit(3) }
      }
    }
    #expect(child.end() == 0)
  }
}
