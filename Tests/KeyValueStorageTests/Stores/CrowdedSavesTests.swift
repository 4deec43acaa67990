import CLibrary
import Concurrency
import Dispatch
import TestSupport
import Testing

@testable import KeyValueStorage

/// Saves of many threads at once, which share the writes of the file.
struct CrowdedSavesTests {
  /// A store in memory whose writes are slow, and fail if they contain the key `large`.
  private final class SlowBackend: KeyValueBackend {
    let format = KeyValueFormat.json
    let name = "a slow store"
    let refusal: KeyValueStoreError
    private let backend = MemoryBackend()
    private let writes = Lock(0)

    init(refusal: KeyValueStoreError = .tooLarge(path: "here", limit: 1)) {
      self.refusal = refusal
    }

    var writeCount: Int { writes.withLock { $0 } }

    func load() -> KeyValueContents { backend.load() }
    func hasChanged(since revision: Int64) -> Bool { backend.hasChanged(since: revision) }
    func observe(_ handler: @escaping @Sendable () -> Void) -> KeyValueObservation {
      backend.observe(handler)
    }
    func moveAside() -> String? { nil }

    func update(
      _ changes: (KeyValueContents) -> KeyValueChanges
    ) throws(KeyValueStoreError) -> KeyValueContents {
      writes.withLock { $0 += 1 }
      usleep(20_000)
      let wanted = changes(load())
      if wanted.all.contains(where: { $0.key == "large" }) { throw refusal }
      return backend.update { _ in wanted }
    }
  }

  /// Runs a closure on many new threads, which begin together.
  private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) throws {
    let (isOver, hasBegun) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    for number in 0..<count {
      let code = DetachedThread.start(named: "test") {
        hasBegun.wait()
        body(number)
        isOver.signal()
      }
      try #require(code == 0)
    }
    for _ in 0..<count { hasBegun.signal() }
    for _ in 0..<count { isOver.wait() }
  }

  @Test func savesOfManyThreadsShareWrites() throws {
    let backend = SlowBackend()
    let store = KeyValueStore(backend)
    let failures = Lock([String]())
    try onThreads(100) { number in
      do {
        try store.set(number, for: "\(number)")
        if number % 2 == 0 { try store.remove("\(number)") }
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
    }
    #expect(failures.withLock { $0 } == [])
    #expect(try Set(store.keys()) == Set((0..<50).map { "\($0 * 2 + 1)" }))
    #expect(backend.writeCount < 50)
  }

  @Test func savesOfOneKeyKeepTheirOrder() throws {
    let store = KeyValueStore(SlowBackend())
    let failures = Lock(0)
    try onThreads(20) { number in
      for round in 0..<10 {
        try? store.set(round, for: "\(number)")
        let value = (try? store.value(of: "\(number)", as: Int.self)) ?? nil
        if value != round { failures.withLock { $0 += 1 } }
      }
    }
    #expect(failures.withLock { $0 } == 0)
  }

  /// The error of one change does not affect the changes that would be written with it.
  @Test(arguments: [
    KeyValueStoreError.tooLarge(path: "here", limit: 1),
    .system(call: "write", path: "here", code: ENOSPC),
  ])
  func changeThatIsRefusedFailsAlone(_ refusal: KeyValueStoreError) throws {
    let store = KeyValueStore(SlowBackend(refusal: refusal))
    let failures = Lock([String: KeyValueStoreError]())
    try onThreads(50) { number in
      let key = number == 25 ? "large" : "\(number)"
      do {
        try store.set(number, for: key)
      } catch {
        failures.withLock { $0[key] = error as? KeyValueStoreError }
      }
    }
    #expect(failures.withLock { $0 } == ["large": refusal])
    #expect(try store.keys().count == 49)
  }

  /// A transaction is written as a whole, or not at all, between the saves of others.
  @Test func transactionsStayWholeAmongSaves() throws {
    let file = try TestFile()
    let store = file.open()
    let (first, second) = (
      StoredValue(wrappedValue: 0, "first", in: store),
      StoredValue(wrappedValue: 0, "second", in: store)
    )
    let failures = Lock([String]())
    try onThreads(20) { number in
      do {
        for round in 0..<5 {
          if number % 2 == 0 {
            try store.set(round, for: "\(number)")
          } else {
            try store.transaction {
              first.wrappedValue += 1
              second.wrappedValue += 1
              if round == 4 { throw CancellationError() }
            }
          }
        }
      } catch is CancellationError {
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
    }
    #expect(failures.withLock { $0 } == [])
    #expect(try first.load() == 40 && second.load() == 40)
  }

  /// Saves are written in order: the slowest takes little longer than the others.
  @Test func slowestOfAThousandThreadsWaitsNotMuchLonger() throws {
    let file = try TestFile()
    let store = file.open()
    let waits = Lock([Duration]())
    let failures = Lock([String]())
    try onThreads(Campaign.size(sample: 200, full: 1000)) { number in
      for round in 0..<3 {
        let wait = ContinuousClock().measure {
          do {
            try store.set(round, for: "\(number)")
          } catch {
            failures.withLock { $0.append("\(error)") }
          }
        }
        waits.withLock { $0.append(wait) }
      }
    }
    #expect(failures.withLock { $0 } == [])
    let sorted = waits.withLock { $0.sorted() }
    let (median, slowest) = (sorted[sorted.count / 2], try #require(sorted.last))
    #expect(slowest <= median * 20, "\(slowest), median \(median)")
  }
}
