import CLibrary
import Concurrency
import Dispatch
import TestSupport
import Testing

struct SerialQueueTests {
  /// On threads that no other test blocks.
  private let queue = SerialQueue(on: ThreadPool(named: "serial"))

  @Test func closuresRunOneAtATimeInOrder() throws {
    let heard = Lock([[Int]](repeating: [], count: 8))
    let isOver = DispatchSemaphore(value: 0)
    onThreads(8) { number in
      for value in 0..<500 {
        queue.run {
          // Closures run one at a time, so no other one changes the lists in between.
          var all = heard.withLock { $0 }
          all[number].append(value)
          heard.withLock { $0 = all }
        }
      }
    }
    queue.run { isOver.signal() }
    isOver.wait()
    #expect(heard.withLock { $0 } == Array(repeating: Array(0..<500), count: 8))
  }

  @Test func delayedClosureRunsAfterItsDelay() throws {
    let isOver = DispatchSemaphore(value: 0)
    let early = try #require(queue.run(after: .seconds(Int64.max)) { Issue.record("early") })
    let start = SuspendingClock.now
    _ = queue.run(after: .milliseconds(20)) {
      #expect(SuspendingClock.now >= start + .milliseconds(20))
      isOver.signal()
    }
    isOver.wait()
    queue.cancel(early)
    queue.cancel(early)
  }

  @Test func cancelledClosureDoesNotRun() throws {
    let gate = DispatchSemaphore(value: 0)
    let isOver = DispatchSemaphore(value: 0)
    queue.run { gate.wait() }
    let cancelled = try #require(queue.run(after: .zero) { Issue.record("cancelled") })
    queue.cancel(cancelled)
    queue.run { isOver.signal() }
    gate.signal()
    isOver.wait()
  }

  @Test func cancelledClosureIsReleased() throws {
    weak var captured: Heard<Int>?
    let number = try {
      let object = Heard<Int>()
      captured = object
      return try #require(queue.run(after: .seconds(100_000)) { object.hear(1) })
    }()
    #expect(captured != nil)
    queue.cancel(number)
    #expect(captured == nil)
  }

  @Test(.forks) func closureThatForksIsTheLastInTheChild() async {
    await #expect(processExitsWith: .success) {
      let queue = SerialQueue(on: ThreadPool(named: "forks", limit: 1))
      let child = Lock(ForkedChild?.none)
      let isOver = DispatchSemaphore(value: 0)
      let parent = getpid()
      queue.run {
        // The thread ends with the closure, and with it the child.
        guard let new = try? ForkedChild.fork() else { return }
        child.withLock { $0 = new }
      }
      queue.run {
        if getpid() != parent { _exit(1) }
        isOver.signal()
      }
      isOver.wait()
      try #require(child.withLock { $0 }).wait()
    }
  }
}
