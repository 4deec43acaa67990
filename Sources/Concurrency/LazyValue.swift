import Synchronization

/// A value that is made at its first use and kept until the process ends.
///
/// A failure is not kept: the next use retries, because a missing resource, such as a file
/// descriptor, may be available by then. Two threads may make the value at once; the first one to
/// finish wins.
@safe package final class LazyValue<Value: Sendable, Failure: Error>: Sendable {
  /// The value's address; zero if there is no value.
  ///
  /// The memory is never freed, so reading needs no lock.
  private let address = Atomic<UInt>(0)
  private let make: @Sendable () throws(Failure) -> Value

  package init(_ make: @escaping @Sendable () throws(Failure) -> Value) {
    self.make = make
  }

  package func get() throws(Failure) -> Value {
    if let known { return known }
    let made = try make()
    let memory = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    unsafe memory.initialize(to: made)
    let (isFirst, _) = address.compareExchange(
      expected: 0, desired: UInt(bitPattern: memory), ordering: .acquiringAndReleasing)
    if !isFirst {
      // No other thread has seen this address.
      unsafe memory.deinitialize(count: 1)
      unsafe memory.deallocate()
    }
    return known ?? made
  }

  /// The value, if it exists already.
  package var known: Value? {
    // A nonzero address is that of an initialized value, which never changes.
    unsafe UnsafePointer<Value>(bitPattern: address.load(ordering: .acquiring))?.pointee
  }
}
