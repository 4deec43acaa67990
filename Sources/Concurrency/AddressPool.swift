import Synchronization

/// The addresses of unused objects, which threads usually take and return without a lock.
///
/// An atomic exchange gives each address to one thread only.
@safe package final class AddressPool: @unchecked Sendable {
  // `@unchecked`: the places are atomic. A place without an address contains 0.
  private let places = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: AddressPool.capacity)
  /// The other addresses: new ones, and those that were returned when all places were in use.
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
    if let address = takeFromPlace() { return address }
    return others.withLock { others in
      // Another thread may have returned an address since the first search.
      if let address = others.popLast() ?? takeFromPlace() { return address }
      others = makeMore()
      return others.popLast()
    }
  }

  // A place is read before it is changed, because a change takes the cache line from other threads.

  private func takeFromPlace() -> UInt? {
    // With a relaxed load, this thread could miss an address although the thread that returns it
    // does not see an earlier change by this one, as in `OpenSSLCipher.eraseKeys()`.
    for index in 0..<Self.capacity
    where unsafe places[index].load(ordering: .sequentiallyConsistent) != 0 {
      let address = unsafe places[index].exchange(0, ordering: .sequentiallyConsistent)
      if address != 0 { return address }
    }
    return nil
  }

  /// Returns an address that was taken, or adds a new one.
  package func put(_ address: UInt) {
    for index in 0..<Self.capacity where unsafe places[index].load(ordering: .relaxed) == 0 {
      let (isExchanged, _) = unsafe places[index].compareExchange(
        expected: 0, desired: address, ordering: .sequentiallyConsistent)
      if isExchanged { return }
    }
    others.withLock { $0.append(address) }
  }
}
