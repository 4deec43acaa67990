import Concurrency
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

final class FileBackendSharingTests: BackendTests {
  /// Each replacement has the size of the previous one, and the inode number of the one before.
  @Test func alternatingWritersOfTheSameSizeLoseNothing() throws {
    let backends = [file.open(), file.open()]
    for number in 0..<200 { try backends[number % 2].count("n") }
    #expect(try file.text() == "n=10200\n")
  }

  @Test func readersSeeWholeFilesDuringWrites() throws {
    let isOver = Lock(false)
    _ = try file.open().update { _ in Self.changes(to: 0) }
    try onThreads(3) { [file] thread in
      let backend = file.open()
      if thread == 0 {
        defer { isOver.withLock { $0 = true } }
        // Fewer writes than a read makes attempts.
        for number in 1..<90 {
          // A reader holds the lock while it looks for temporary files.
          try backend.update { _ in Self.changes(to: number) }
        }
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

  /// In a process of its own: watches of other tests may make a store subscribe again.
  @Test func observersOfAStoreShareAWatch() async {
    await #expect(processExitsWith: .success) {
      recordingErrors {
        var calls: [Int] = []
        // Kept, because the end of a watch makes others subscribe again.
        var kept: [(BackendFile, KeyValueStore, [KeyValueObservation])] = []
        for count in [1, 5] {
          let file = try BackendFile()
          let watches = CallCount(of: .inotify)
          let store = KeyValueStore(file.open(fileSystem: watches.fileSystem))
          kept.append((file, store, (0..<count).map { _ in store.observe { _ in } }))
          calls.append(watches.value)
        }
        #expect(calls[0] > 0 && calls[0] == calls[1])
        withExtendedLifetime(kept) {}
      }
    }
  }
}
