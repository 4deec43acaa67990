import CLibrary
import Concurrency
import Dispatch
import StorageInternals
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

  @Test(.forks) func noClosureRunsInAForkedChild() async {
    await #expect(processExitsWith: .success) {
      // The only thread waits at the fork, and holds no lock of Swift's runtime.
      let endless = Duration.seconds(100_000)
      let queue = SerialQueue(on: ThreadPool(named: "forked", limit: 1, patience: endless))
      let (isRunning, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      queue.run {
        isRunning.signal()
        mayEnd.wait()
      }
      isRunning.wait()
      defer { mayEnd.signal() }
      let later = try #require(queue.run(after: endless) {})
      let child = try ForkedChild {
        queue.run { _exit(2) }
        if queue.run(after: .zero, { _exit(2) }) != nil { _exit(3) }
        queue.cancel(later)
        let own = SerialQueue()
        own.run { _exit(4) }
        if try FileSystem().entries(of: "/proc/self/task").count != 1 { _exit(5) }
      }
      if child.end() != 0 { _exit(1) }
    }
  }
}
