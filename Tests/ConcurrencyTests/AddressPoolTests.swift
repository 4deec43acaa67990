import Concurrency
import Dispatch
import Testing

@Suite struct AddressPoolTests {
  private let pool = AddressPool()

  @Test func eachAddressIsTakenOnce() {
    #expect(pool.take() == nil)
    // The pool has fewer places without a lock.
    let addresses = Set<UInt>(1...20)
    for address in addresses { pool.put(address) }
    #expect(Set((0..<20).compactMap { _ in pool.take { [30] } }) == addresses)
    #expect(pool.take() == nil)
    #expect(pool.take { [31, 32] } == 32 && pool.take { [33] } == 31 && pool.take() == nil)
  }

  @Test func noAddressBelongsToTwoThreads() {
    for address in 1...10 as ClosedRange<UInt> { pool.put(address) }
    let taken = Lock(Set<UInt>())
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<1000 {
        guard let address = pool.take() else { continue }
        if !taken.withLock({ $0.insert(address).inserted }) { Issue.record("\(address)") }
        taken.withLock { _ = $0.remove(address) }
        pool.put(address)
      }
    }
    #expect((0..<10).allSatisfy { _ in pool.take() != nil } && pool.take() == nil)
  }
}
