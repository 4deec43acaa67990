import Synchronization

/// The addresses of unused objects, which threads usually take and return without a lock.
///
/// An atomic exchange gives each address to one thread only.
@safe package final class AddressPool: @unchecked Sendable {
  // `@unchecked`: the places are atomic. A place without an address contains 0.
  private let places = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: AddressPool.capacity)
  /// The addresses that were returned when all places were in use.
  private let others = Lock([UInt]())

  private static let capacity = 8

  package init() {
    for index in 0..<Self.capacity { unsafe (places + index).initialize(to: Atomic(0)) }
  }

  deinit {
    unsafe places.deinitialize(count: Self.capacity)
    unsafe places.deallocate()
  }

  /// Removes and returns an address; if there is none, first adds those that a closure returns.
  package func take(adding makeMore: () -> [UInt] = { [] }) -> UInt? {
    for index in 0..<Self.capacity {
      let address = unsafe places[index].exchange(0, ordering: .sequentiallyConsistent)
      if address != 0 { return address }
    }
    return others.withLock { others in
      if others.isEmpty { others = makeMore() }
      return others.popLast()
    }
  }

  package func put(_ address: UInt) {
    for index in 0..<Self.capacity {
      let (isExchanged, _) = unsafe places[index].compareExchange(
        expected: 0, desired: address, ordering: .sequentiallyConsistent)
      if isExchanged { return }
    }
    others.withLock { $0.append(address) }
  }
}
