import CLibrary
import Concurrency
import Dispatch
import TestSupport
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

/// Saves of many threads at once, which share the writes of the file.
struct CrowdedSavesTests {
  /// The write of the key `first` waits for it.
  private let mayEnd = DispatchSemaphore(value: 0)
  private let writeCount = Lock(0)

  /// A store that refuses to write the key `large`.
  private func store(refusing refusal: KeyValueStoreError) -> KeyValueStore {
    KeyValueStore(
      HookedBackend(
        base: MemoryBackend(),
        willWrite: { [mayEnd, writeCount] changes throws(KeyValueStoreError) in
          if changes.all.contains(where: { $0.key == "large" }) { throw refusal }
          writeCount.withLock { $0 += 1 }
          if changes.all.contains(where: { $0.key == "first" }) { mayEnd.wait() }
        }))
  }

  /// Calls a closure on many threads during a write, in turn, until all wait; returns their errors.
  private func saveTogether(
    _ count: Int, in store: KeyValueStore, _ body: @escaping @Sendable (Int) throws -> Void
  ) throws -> [Int: KeyValueStoreError] {
    let failures = Lock([Int: KeyValueStoreError]())
    try onThreads(count + 2) { [mayEnd, writeCount] thread in
      if thread == count { return try store.set(0, for: "first") }
      // The first write has begun, and the saves of the threads before this one wait.
      try wait {
        writeCount.withLock { $0 } == 1
          && store.state.withLock { $0.saves.count } == min(thread, count)
      }
      if thread > count {
        mayEnd.signal()
        return
      }
      do {
        try body(thread)
      } catch let error as KeyValueStoreError {
        failures.withLock { $0[thread] = error }
      }
    }
    return failures.withLock { $0 }
  }

  @Test func savesOfManyThreadsShareAWriteInTheirOrder() throws {
    let store = store(refusing: .unavailable("never"))
    let failures = try saveTogether(50, in: store) { try store.set($0, for: "last") }
    #expect(failures == [:])
    #expect(try store.value(of: "last") == 49)
    // That of the first save, and that of the others.
    #expect(writeCount.withLock { $0 } == 2)
  }

  /// The error of one change does not affect the changes that would be written with it.
  @Test(arguments: [
    KeyValueStoreError.tooLarge(path: "here", limit: 1),
    .system(call: "write", path: "here", code: ENOSPC),
  ])
  func refusedChangeFailsAlone(_ refusal: KeyValueStoreError) throws {
    let store = store(refusing: refusal)
    let failures = try saveTogether(20, in: store) { number in
      try store.set(number, for: number == 7 ? "large" : "\(number)")
    }
    #expect(failures == [7: refusal])
    #expect(try store.keys().count == 20)
  }
}
