import CLibrary
import Dispatch
import TestSupport
import Testing

@testable import Concurrency

@Suite struct LockTests {
  @Test func changesOfSeveralThreadsAreAllKept() {
    let lock = Lock(0)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<1000 { lock.withLock { $0 += 1 } }
    }
    #expect(lock.withLock { $0 } == 8000)
  }

  @Test func errorOfTheBodyReleasesTheLock() {
    struct Failure: Error {}
    let lock = Lock(1)
    #expect(throws: Failure.self) {
      try lock.withLock { (value: inout Int) throws(Failure) in
        value = 2
        throw Failure()
      }
    }
    #expect(lock.withLock { $0 } == 2)
  }

  /// Free or held: the child neither hangs nor sees a value that another thread was changing.
  @Test(.forks) func lockStopsAForkedChild() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      let lock = Lock([1])
      let free = try ForkedChild { lock.withLock { $0 = [] } }
      if free.end() & 0x7F == 0 { _exit(1) }
      try whileHeld(by: { wait in lock.withLock { _ in wait() } }) {
        let held = try ForkedChild(isQuiet: true) { lock.withLock { $0 = [] } }
        if held.end() & 0x7F == 0 { _exit(2) }
      }
      let releasing = try ForkedChild { _ = Lock([2]) }
      try releasing.wait()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains(Fork.advice))
  }

  @Test func recursiveLockIsHandedToAWaitingThread() throws {
    let lock = RecursiveLock()
    let order = Lock([Int]())
    for round in 0..<20 {
      lock.lock()
      let isOver = DispatchSemaphore(value: 0)
      DispatchQueue(label: "waiting").async {
        if round < 10 { lock.lock() } else { #expect(lock.lock(within: .seconds(100_000))) }
        order.withLock { $0.append(2 * round) }
        lock.unlock()
        isOver.signal()
      }
      try wait { lock.hasWaitingThread }
      // The holder itself does not wait.
      lock.withLock {}
      lock.unlock()
      lock.withLock { order.withLock { $0.append(2 * round + 1) } }
      isOver.wait()
    }
    #expect(order.withLock { $0 } == Array(0..<40))
  }

  @Test func recursiveLockIsNotWaitedForAfterTheLimit() {
    let lock = RecursiveLock()
    lock.lock()
    onThreads(1) { _ in #expect(!lock.lock(within: .zero)) }
    #expect(!lock.hasWaitingThread)
    lock.unlock()
    onThreads(1) { _ in
      #expect(lock.lock(within: .zero))
      lock.unlock()
    }
    #expect(lock.tryLock())
  }

  @Test(.forks) func recursiveLockStaysLockedInTheParentOfAFork() async {
    await #expect(processExitsWith: .success) {
      let lock = RecursiveLock()
      lock.lock()
      // The child leaves the function that has locked.
      try ForkedChild { lock.unlock() }.wait()
      if !lock.isHeldByCurrentThread { _exit(1) }
      lock.unlock()
    }
  }

  @Test(.forks) func forkedChildReportsOnce() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      _ = Lock(0)
      for _ in 0..<2 {
        try ForkedChild {
          for _ in 0..<2 { Fork.report() }
          try ForkedChild { Fork.report() }.wait()
        }.wait()
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    // Two children, each with a child of its own.
    #expect(text.ranges(of: Fork.advice).count == 4)
  }
}
