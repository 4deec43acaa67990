import Concurrency
import Dispatch
import TestSupport
import Testing

@testable import KeyValueStorage

/// An app's backend for values on a server.
///
/// Another machine adds one to the key `theirs` before each write.
private final class OvertakenBackend: KeyValueBackend {
  let format = KeyValueFormat.json
  let name = "a shared server"
  private let contents = Lock(KeyValueContents([], revision: 0))
  private let observers = Lock([@Sendable () -> Void]())
  let timeouts = Lock([Duration?]())

  func load() -> KeyValueContents { contents.withLock { $0 } }

  func hasChanged(since revision: Int64) -> Bool { load().revision != revision }

  func update<Result>(
    within timeout: Duration?,
    _ changes: (KeyValueContents) throws(KeyValueStoreError) -> (KeyValueChanges, Result)
  ) throws(KeyValueStoreError) -> (KeyValueContents, Result) {
    timeouts.withLock { $0.append(timeout) }
    _ = try changes(load())
    let theirs = load()["theirs"].flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
    var others = KeyValueChanges()
    others.set("theirs", to: ArraySlice(String(theirs + 1).utf8))
    let overtaken = load().applying(others, revision: load().revision + 1)
    let (mine, result) = try changes(overtaken)
    let changed = overtaken.applying(mine, revision: overtaken.revision + 1)
    contents.withLock { $0 = changed }
    for observer in observers.withLock({ $0 }) { observer() }
    return (changed, result)
  }

  func observe(_ handler: @escaping @Sendable () -> Void) -> KeyValueObservation {
    observers.withLock { $0.append(handler) }
    return KeyValueObservation {}
  }

  func moveAside(within timeout: Duration?) -> String? { nil }
}

struct OwnBackendTests {
  /// The first read fails after a second one has succeeded.
  @Test func lateFailureDoesNotReplaceNewerContents() throws {
    let failure = KeyValueStoreError.unavailable("The server could not be reached.")
    let (hasBegun, mayFail) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isFirst = Lock(true)
    let memory = MemoryBackend()
    try KeyValueStore(memory).set(5, for: "number")
    let store = KeyValueStore(
      HookedBackend(
        base: memory,
        willLoad: { () throws(KeyValueStoreError) in
          if !isFirst.exchange(false) { return }
          hasBegun.signal()
          mayFail.wait()
          throw failure
        }))
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    try onThreads(2) { thread in
      if thread == 0 {
        #expect(throws: failure) { try store.load() }
      } else {
        hasBegun.wait()
        let value = try number.load()
        #expect(value == 5)
        mayFail.signal()
      }
    }
    #expect(number.error == nil)
    #expect(number.wrappedValue == 5)
  }

  @Test func overtakenTransactionSeesOtherChanges() throws {
    let store = KeyValueStore(OvertakenBackend())
    let mine = StoredValue(wrappedValue: 0, "mine", in: store)
    let theirs = StoredValue(wrappedValue: 0, "theirs", in: store)
    for number in 1...3 {
      var seen: [Int] = []
      try store.transaction {
        seen.append(theirs.wrappedValue)
        mine.wrappedValue += 1
      }
      #expect(seen == [number - 1, number])
      #expect(mine.wrappedValue == number && theirs.wrappedValue == number)
    }
  }

  @Test func customBackendIsWrittenAndObserved() throws {
    let backend = OvertakenBackend()
    let store = KeyValueStore(backend)
    let heard = HeardValues(of: StoredValue(wrappedValue: 0, "theirs", in: store))
    let mine = StoredValue(wrappedValue: 0, "mine", in: store)
    mine.wrappedValue = 5
    #expect(mine.error == nil)
    heard.wait(for: 1)
    #expect(try KeyValueStore(backend).value(of: "mine") == 5)
    let other = KeyValueStore(backend)
    other.lockTimeout = .seconds(7)
    try other.set(7, for: "mine")
    heard.wait(for: 2)
    #expect(try mine.load() == 7)
    #expect(backend.timeouts.withLock { $0 } == [.seconds(30), .seconds(7)])
  }

  @Test func repeatedFailureIsReportedOnce() throws {
    ReportedFailures.record()
    let failure = KeyValueStoreError.unavailable("The server fails repeatedly.")
    let failedLoads = Lock(Int?.none)
    let notify = Lock({ @Sendable () -> Void in })
    let memory = MemoryBackend()
    let store = KeyValueStore(
      HookedBackend(
        base: memory,
        willLoad: { () throws(KeyValueStoreError) in
          let fails = failedLoads.withLock { count in
            count = count.map { $0 + 1 }
            return count != nil
          }
          if fails { throw failure }
        },
        didObserve: { handler in notify.withLock { $0 = handler } }))
    let observation = store.observe { _ in }
    failedLoads.withLock { $0 = 0 }
    for number in 1...3 {
      try KeyValueStore(memory).set(number, for: "number")
      // Each notification reads at once, and again later on a thread of the store.
      notify.withLock { $0 }()
      try wait { failedLoads.withLock { $0 ?? 0 } >= 2 * number }
    }
    // The failure of the fourth load would be reported before the sixth begins.
    store.finishHandlers()
    #expect(ReportedFailures.count(of: failure) == 1)
    observation.cancel()
  }
}
