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

  func load() -> KeyValueContents { contents.withLock { $0 } }

  func hasChanged(since revision: Int64) -> Bool { load().revision != revision }

  func update(_ changes: (KeyValueContents) -> KeyValueChanges) -> KeyValueContents {
    _ = changes(load())
    let theirs = load()["theirs"].flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
    var others = KeyValueChanges()
    others.set("theirs", to: ArraySlice(String(theirs + 1).utf8))
    let overtaken = load().applying(others, revision: load().revision + 1)
    let changed = overtaken.applying(changes(overtaken), revision: overtaken.revision + 1)
    contents.withLock { $0 = changed }
    for observer in observers.withLock({ $0 }) { observer() }
    return changed
  }

  func observe(_ handler: @escaping @Sendable () -> Void) -> KeyValueObservation {
    observers.withLock { $0.append(handler) }
    return KeyValueObservation {}
  }

  func moveAside() -> String? { nil }
}

/// A backend whose first read fails after a second one has succeeded.
private final class LateFailingBackend: KeyValueBackend {
  static let failure = KeyValueStoreError.unavailable("The server could not be reached.")

  let format = KeyValueFormat.json
  let name = "a slow server"
  let hasBegun = DispatchSemaphore(value: 0)
  let mayFail = DispatchSemaphore(value: 0)
  private let readings = Lock(0)

  func load() throws(KeyValueStoreError) -> KeyValueContents {
    let reading = readings.withLock { readings in
      readings += 1
      return readings
    }
    if reading == 1 {
      hasBegun.signal()
      mayFail.wait()
      throw Self.failure
    }
    return KeyValueContents([("number", ArraySlice("5".utf8))], revision: Int64(reading))
  }

  func hasChanged(since revision: Int64) -> Bool { true }

  func update(
    _ changes: (KeyValueContents) -> KeyValueChanges
  ) throws(KeyValueStoreError) -> KeyValueContents { throw Self.failure }

  func observe(_ handler: @escaping @Sendable () -> Void) -> KeyValueObservation {
    KeyValueObservation {}
  }

  func moveAside() -> String? { nil }
}

/// A backend that makes the next write without saying so, and reports no changes.
private final class UncertainBackend: KeyValueBackend {
  static let failure = KeyValueStoreError.uncertain("The answer was lost.")

  let format = KeyValueFormat.json
  let name = "a distant server"
  let isUncertain = Lock(false)
  let writes = Lock(0)
  private let memory = MemoryBackend()

  func load() -> KeyValueContents { memory.load() }

  func hasChanged(since revision: Int64) -> Bool { memory.hasChanged(since: revision) }

  func update(
    _ changes: (KeyValueContents) -> KeyValueChanges
  ) throws(KeyValueStoreError) -> KeyValueContents {
    let before = memory.load().revision
    let contents = memory.update(changes)
    if contents.revision != before { writes.withLock { $0 += 1 } }
    if isUncertain.withLock({ $0 }) { throw Self.failure }
    return contents
  }

  func observe(_ handler: @escaping @Sendable () -> Void) -> KeyValueObservation {
    KeyValueObservation {}
  }

  func moveAside() -> String? { nil }
}

@Suite(.expectsFailures)
struct OwnBackendTests {
  @Test func accessAfterAnUncertainWriteReads() throws {
    let backend = UncertainBackend()
    let store = KeyValueStore(backend)
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    #expect(number.wrappedValue == 0)
    backend.isUncertain.withLock { $0 = true }
    #expect(throws: UncertainBackend.failure) { try number.save(5) }
    #expect(number.wrappedValue == 5)
    #expect(throws: UncertainBackend.failure) {
      try store.transaction { number.wrappedValue += 1 }
    }
    #expect(number.wrappedValue == 6)
    #expect(number.error == nil)
  }

  @Test func uncertainWriteOfAPropertyIsSettledByTheNextRead() throws {
    let backend = UncertainBackend()
    let store = KeyValueStore(backend)
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    backend.isUncertain.withLock { $0 = true }
    number.wrappedValue = 5
    #expect(store.state.withLock { $0.writeError } == UncertainBackend.failure)
    #expect(number.error == nil)
    #expect(number.wrappedValue == 5)
    backend.isUncertain.withLock { $0 = false }
    try store.synchronize()
    // The write had been made, so nothing was left to write.
    #expect(backend.writes.withLock { $0 } == 1)
  }

  @Test func failureThatComesAfterNewerContentsIsNoErrorOfTheSetting() throws {
    let backend = LateFailingBackend()
    let store = KeyValueStore(backend)
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    let failed = DispatchSemaphore(value: 0)
    DispatchQueue(label: "late").async {
      #expect(throws: LateFailingBackend.failure) { try store.load() }
      failed.signal()
    }
    backend.hasBegun.wait()
    #expect(try number.load() == 5)
    backend.mayFail.signal()
    failed.wait()
    #expect(number.error == nil)
    #expect(number.wrappedValue == 5)
  }

  @Test func transactionThatWasOvertakenSeesWhatOthersWrote() throws {
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
      #expect(mine.wrappedValue == number)
      #expect(theirs.wrappedValue == number)
    }
  }

  @Test func setsAndObserversWorkOverAnyBackend() throws {
    let backend = OvertakenBackend()
    let store = KeyValueStore(backend)
    let heard = Heard<Int>()
    let observation = StoredValue(wrappedValue: 0, "theirs", in: store).observe { heard.hear($1) }
    let mine = StoredValue(wrappedValue: 0, "mine", in: store)
    mine.wrappedValue = 5
    #expect(mine.error == nil)
    #expect(heard.wait(for: 1))
    #expect(try KeyValueStore(backend).value(of: "mine") == 5)
    try KeyValueStore(backend).set(7, for: "mine")
    #expect(heard.wait(for: 2))
    #expect(try mine.load() == 7)
    observation.cancel()
  }
}
