import Dispatch
import StorageInternals
import Testing

@Suite struct LockTests {
  @Test func changesOfSeveralThreadsAreAllKept() {
    let lock = Lock(0)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<1000 { lock.withLock { $0 += 1 } }
    }
    #expect(lock.withLock { $0 } == 8000)
  }

  @Test func errorOfTheBodyIsThrownAndTheLockReleased() {
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
}
