import Concurrency
import Synchronization
import TestSupport
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
    let last = Atomic<UInt>(0)
    let taken = Lock(Set<UInt>())
    onThreads(8) { _ in
      for _ in 0..<1000 {
        // Two threads take more addresses than the pool has places.
        let addresses = (0..<5).compactMap { _ in
          pool.take {
            let new = last.wrappingAdd(3, ordering: .relaxed).newValue
            return [new - 2, new - 1, new]
          }
        }
        if addresses.count != 5 { Issue.record("\(addresses)") }
        for address in addresses where !taken.withLock({ $0.insert(address).inserted }) {
          Issue.record("\(address)")
        }
        for address in addresses {
          taken.withLock { _ = $0.remove(address) }
          pool.put(address)
        }
      }
    }
    let addresses = Array(1...last.load(ordering: .relaxed))
    #expect(addresses.map { _ in pool.take() ?? 0 }.sorted() == addresses && pool.take() == nil)
  }
}
