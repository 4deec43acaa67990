import CLibrary
import Concurrency
import Dispatch
import TestSupport
import Testing

struct ThreadPoolTests {
  /// So long that a running closure is always counted.
  private static let endless = Duration.seconds(100_000)

  /// The numbers of closures that run at the same time.
  private struct Concurrent: Sendable {
    private let numbers = Lock((now: 0, most: 0))

    var most: Int { numbers.withLock { $0.most } }

    func run(_ body: () -> Void) {
      numbers.withLock { numbers in
        numbers.now += 1
        numbers.most = max(numbers.most, numbers.now)
      }
      body()
      numbers.withLock { $0.now -= 1 }
    }
  }

  @Test func threadsDoNotDependOnTheNumberOfQueues() throws {
    let pool = ThreadPool(named: "few", concurrency: 3, patience: Self.endless)
    let concurrent = Concurrent()
    let count = 10_000
    let ran = Lock(0)
    for _ in 0..<count {
      // The queue is released at once; its closure still runs.
      SerialQueue(on: pool).run {
        concurrent.run {}
        ran.withLock { $0 += 1 }
      }
    }
    try wait { ran.withLock { $0 } == count }
    #expect(concurrent.most <= 3)
  }

  @Test func blockedClosuresDelayOnlyTheirQueues() throws {
    let pool = ThreadPool(named: "blocked", concurrency: 2, limit: 20, patience: .milliseconds(1))
    let gate = DispatchSemaphore(value: 0)
    let order = Lock([Int]())
    let blocked = (0..<16).map { number in
      let queue = SerialQueue(on: pool)
      queue.run {
        gate.wait()
        order.withLock { $0.append(number) }
      }
      queue.run { order.withLock { $0.append(number) } }
      return queue
    }
    let ran = Lock(0)
    // At most 16 threads run closures, fewer than the limit.
    let later = SerialQueue(on: pool).run(after: .milliseconds(1)) { ran.withLock { $0 += 1 } }
    try #require(later != nil)
    for _ in 0..<1_000 { SerialQueue(on: pool).run { ran.withLock { $0 += 1 } } }
    try wait { ran.withLock { $0 } == 1_001 }
    #expect(order.withLock { $0.isEmpty })
    for _ in blocked { gate.signal() }
    try wait { order.withLock { $0.count } == 32 }
  }

  @Test func closuresBeyondTheLimitWaitForAThread() throws {
    let pool = ThreadPool(named: "limit", concurrency: 1, limit: 3, patience: .zero)
    let gate = DispatchSemaphore(value: 0)
    let isOpen = Lock(false)
    let concurrent = Concurrent()
    let ran = Lock([Bool]())
    for number in 0..<6 {
      SerialQueue(on: pool).run {
        concurrent.run { if number < 3 { gate.wait() } }
        ran.withLock { $0.append(isOpen.withLock { $0 }) }
      }
    }
    isOpen.withLock { $0 = true }
    for _ in 0..<3 { gate.signal() }
    try wait { ran.withLock { $0.count } == 6 }
    #expect(ran.withLock { $0.allSatisfy { $0 } })
    #expect(concurrent.most <= 3)
  }

  @Test func closuresWaitForNoThreadThatCannotBeCreated() throws {
    let isRefused = Lock(true)
    let pool = ThreadPool(
      named: "none", patience: Self.endless,
      startingThreadsWith: { body in
        isRefused.withLock { $0 } ? EAGAIN : DetachedThread.start(named: "none", body)
      })
    let heard = Heard<Int>()
    let queue = SerialQueue(on: pool)
    queue.run { heard.hear(1) }
    #expect(queue.run(after: .zero) { heard.hear(-1) } == nil)
    #expect(queue.run(after: .milliseconds(1)) { heard.hear(-2) } == nil)
    isRefused.withLock { $0 = false }
    // Another queue's call creates the thread.
    SerialQueue(on: pool).run {}
    heard.wait(for: 1)
    // The only thread runs all closures.
    let (isRunning, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    SerialQueue(on: pool).run {
      isRunning.signal()
      mayEnd.wait()
    }
    isRunning.wait()
    isRefused.withLock { $0 = true }
    let ran = Lock(0)
    for _ in 0..<100 { SerialQueue(on: pool).run { ran.withLock { $0 += 1 } } }
    #expect(queue.run(after: .milliseconds(1)) { heard.hear(2) } != nil)
    mayEnd.signal()
    heard.wait(for: 2)
    try wait { ran.withLock { $0 } == 100 }
    #expect(heard.all == [1, 2])
  }

  /// No thread can be created, because of the limit of the process or of the pool.
  @Test(arguments: [1, 100])
  func delayedClosuresWaitForNoBlockedThread(limit: Int) throws {
    let isRefused = Lock(false)
    let pool = ThreadPool(
      named: "delayed", limit: limit, patience: .zero,
      startingThreadsWith: { body in
        isRefused.withLock { $0 } ? EAGAIN : DetachedThread.start(named: "delayed", body)
      })
    let (isRunning, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let blocked = SerialQueue(on: pool)
    let heard = Heard<Bool>()
    let ran = Lock(0)
    blocked.run {
      isRunning.signal()
      mayEnd.wait()
      // The thread that asks will be free.
      heard.hear(blocked.run(after: .milliseconds(1)) { ran.withLock { $0 += 1 } } != nil)
    }
    isRunning.wait()
    isRefused.withLock { $0 = true }
    weak var queue: SerialQueue?
    do {
      let other = SerialQueue(on: pool)
      queue = other
      #expect(other.run(after: .zero) { ran.withLock { $0 += 100 } } == nil)
      #expect(other.run(after: .milliseconds(1)) { ran.withLock { $0 += 100 } } == nil)
    }
    #expect(queue == nil)
    // The thread that runs a closure of the same queue will be free.
    #expect(blocked.run(after: .zero) { ran.withLock { $0 += 1 } } != nil)
    mayEnd.signal()
    heard.wait(for: true)
    try wait { ran.withLock { $0 } == 2 }
  }

  @Test func idleThreadEndsAndIsCreatedAgain() throws {
    let (ran, ended) = (Lock(0), Lock(0))
    let pool = ThreadPool(
      named: "idle",
      startingThreadsWith: { body in
        DetachedThread.start(named: "idle") {
          body()
          ended.withLock { $0 += 1 }
        }
      })
    let queue = SerialQueue(on: pool)
    for count in 1...2 {
      queue.run { ran.withLock { $0 += 1 } }
      try wait { ended.withLock { $0 } == count }
      #expect(ran.withLock { $0 } == count)
    }
  }

  @Test func poolRecognizesItsThreads() {
    let pool = ThreadPool(named: "own")
    let heard = Heard<[Bool]>()
    SerialQueue(on: pool).run { heard.hear([pool.isCurrent, ThreadPool.work.isCurrent]) }
    heard.wait(for: [true, false])
    #expect(!pool.isCurrent)
  }
}
