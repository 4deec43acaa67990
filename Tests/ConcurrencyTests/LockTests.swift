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

  @Test(.forks) func freeLockHasItsValueInAForkedChild() async {
    await #expect(processExitsWith: .success) {
      let lock = Lock([1])
      let child = try ForkedChild {
        lock.withLock { $0.append(2) }
        if lock.withLock({ $0 }) != [1, 2] { _exit(1) }
      }
      try child.wait()
    }
  }

  @Test(.forks) func heldLockHasANewValueInAForkedChild() async {
    await #expect(processExitsWith: .success) {
      let lock = Lock([1], inForkedChild: { [3] })
      try whileHeld(by: { wait in lock.withLock { _ in wait() } }) {
        let child = try ForkedChild {
          if lock.withLock({ $0 }) != [3] { _exit(1) }
          let grandchild = try ForkedChild { if lock.withLock({ $0 }) != [3] { _exit(1) } }
          try grandchild.wait()
        }
        try child.wait()
      }
    }
  }

  @Test(.forks) func heldLockWithoutNewValueStopsAForkedChild() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      let lock = Lock([1])
      try whileHeld(by: { wait in lock.withLock { _ in wait() } }) {
        let child = try ForkedChild { lock.withLock { $0 = [] } }
        if child.end() & 0x7F == 0 { _exit(1) }
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      text.contains("was forked while another thread was changing a value of type Array<Int>"))
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

  @Test(.forks) func recursiveLockIsFreeInAForkedChild() async {
    await #expect(processExitsWith: .success) {
      let lock = RecursiveLock()
      lock.lock()
      let child = try ForkedChild {
        if lock.isHeldByCurrentThread { _exit(1) }
        lock.lock()
        lock.unlock()
        // Unlocking after a lock before the fork is ignored in the child.
        lock.unlock()
        if !lock.tryLock() { _exit(1) }
      }
      try child.wait()
      if !lock.isHeldByCurrentThread { _exit(1) }
      lock.unlock()
    }
  }
}
