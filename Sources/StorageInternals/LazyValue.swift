import Synchronization

/// A value that is made at its first use and kept for as long as the process runs.
///
/// A failure is not kept: the next use tries again, since what was missing, such as a file
/// descriptor, may be there by then. Two threads may make the value at once; the first one to
/// finish counts.
@safe package final class LazyValue<Value: Sendable, Failure: Error>: Sendable {
  /// The value's address, or zero as long as there is none.
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

  /// The value, if it was made already.
  package var known: Value? {
    // An address that is not zero is that of an initialized value, which is never changed.
    unsafe UnsafePointer<Value>(bitPattern: address.load(ordering: .acquiring))?.pointee
  }
}
