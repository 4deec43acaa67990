import CLibrary
import Concurrency
import Dispatch
import TestSupport
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

/// Saves of many threads at once, which share the writes of the file.
struct CrowdedSavesTests {
  /// Calls a closure on many threads while another save is being written, one after the other,
  /// until all of them wait; returns the errors that were thrown.
  private func saveTogether(
    _ count: Int, in store: KeyValueStore, _ mayWrite: DispatchSemaphore,
    _ body: @escaping @Sendable (Int) throws -> Void
  ) throws -> [Int: KeyValueStoreError] {
    let failures = Lock([Int: KeyValueStoreError]())
    try onThreads(count + 2) { thread in
      if thread > count { return try store.set(0, for: "first") }
      try wait { store.saves.waitingCount == thread + 1 }
      do {
        if thread == count { mayWrite.signal() } else { try body(thread) }
      } catch let error as KeyValueStoreError {
        failures.withLock { $0[thread] = error }
      }
    }
    return failures.withLock { $0 }
  }

  /// A store whose writes are counted, and refused if they have the key `large`; the write of the
  /// key `first` waits for the semaphore.
  private func store(
    _ writes: Lock<Int>, _ mayWrite: DispatchSemaphore,
    refusing refusal: KeyValueStoreError = .tooLarge(path: "here", limit: 1)
  ) -> KeyValueStore {
    KeyValueStore(
      HookedBackend(
        base: MemoryBackend(),
        willWrite: { changes throws(KeyValueStoreError) in
          if changes.all.contains(where: { $0.key == "first" }) { mayWrite.wait() }
          if changes.all.contains(where: { $0.key == "large" }) { throw refusal }
          writes.withLock { $0 += 1 }
        }))
  }

  @Test func savesOfManyThreadsShareAWriteInTheirOrder() throws {
    let (writes, mayWrite) = (Lock(0), DispatchSemaphore(value: 0))
    let store = store(writes, mayWrite)
    let failures = try saveTogether(50, in: store, mayWrite) { try store.set($0, for: "last") }
    #expect(failures == [:])
    #expect(try store.value(of: "last") == 49)
    // The first one and the others.
    #expect(writes.withLock { $0 } == 2)
  }

  /// The error of one change does not affect the changes that would be written with it.
  @Test(arguments: [
    KeyValueStoreError.tooLarge(path: "here", limit: 1),
    .system(call: "write", path: "here", code: ENOSPC),
  ])
  func refusedChangeFailsAlone(_ refusal: KeyValueStoreError) throws {
    let mayWrite = DispatchSemaphore(value: 0)
    let store = store(Lock(0), mayWrite, refusing: refusal)
    let failures = try saveTogether(20, in: store, mayWrite) { number in
      try store.set(number, for: number == 7 ? "large" : "\(number)")
    }
    #expect(failures == [7: refusal])
    #expect(try store.keys().count == 20)
  }
}
