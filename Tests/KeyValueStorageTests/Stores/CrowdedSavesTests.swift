import CLibrary
import Concurrency
import TestSupport
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

/// Saves of many threads at once, which share the writes of the file.
struct CrowdedSavesTests {
  /// Calls a closure on many threads while another save keeps theirs in the queue, one after the
  /// other, until all of them wait; returns the errors that were thrown.
  private func saveTogether(
    _ count: Int, in store: KeyValueStore, _ body: @escaping @Sendable (Int) throws -> Void
  ) throws -> [Int: KeyValueStoreError] {
    let failures = Lock([Int: KeyValueStoreError]())
    let queued = Lock(-1)
    try onThreads(count + 1) { thread in
      if thread == count {
        let first = KeyValueStore.PendingSave(key: StoredKey("first"), value: nil)
        try store.saves.perform(first) { batch in
          queued.withLock { $0 = batch.count - 1 }
          // An unfinished save is passed again.
          if batch.count == count + 1 { batch[0].finish(.success(())) } else { usleep(500) }
        }
        return
      }
      try wait { queued.withLock { $0 } == thread }
      do {
        try body(thread)
      } catch let error as KeyValueStoreError {
        failures.withLock { $0[thread] = error }
      }
    }
    return failures.withLock { $0 }
  }

  @Test func savesOfManyThreadsShareAWriteInTheirOrder() throws {
    let writes = Lock(0)
    let store = KeyValueStore(
      HookedBackend(base: MemoryBackend(), willWrite: { _ in writes.withLock { $0 += 1 } }))
    let failures = try saveTogether(50, in: store) { try store.set($0, for: "last") }
    #expect(failures == [:])
    #expect(try store.value(of: "last") == 49)
    #expect(writes.withLock { $0 } == 1)
  }

  /// The error of one change does not affect the changes that would be written with it.
  @Test(arguments: [
    KeyValueStoreError.tooLarge(path: "here", limit: 1),
    .system(call: "write", path: "here", code: ENOSPC),
  ])
  func refusedChangeFailsAlone(_ refusal: KeyValueStoreError) throws {
    let store = KeyValueStore(
      HookedBackend(
        base: MemoryBackend(),
        willWrite: { changes throws(KeyValueStoreError) in
          if changes.all.contains(where: { $0.key == "large" }) { throw refusal }
        }))
    let failures = try saveTogether(20, in: store) { number in
      try store.set(number, for: number == 7 ? "large" : "\(number)")
    }
    #expect(failures == [7: refusal])
    #expect(try store.keys().count == 19)
  }
}
