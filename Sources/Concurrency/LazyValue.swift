import Synchronization

/// A value that is created on first use and released with this object.
///
/// After a failure, the next use retries. If two threads create the value concurrently, the first
/// result is kept.
@safe package final class LazyValue<Value: Sendable, Failure: Error>: Sendable {
  /// The address of the value, or zero before it is created.
  ///
  /// Only `deinit` frees the memory, so reading it needs no lock.
  private let address = Atomic<UInt>(0)
  private let create: @Sendable () throws(Failure) -> Value

  package init(_ create: @escaping @Sendable () throws(Failure) -> Value) { self.create = create }

  deinit {
    let memory = unsafe UnsafeMutablePointer<Value>(
      bitPattern: address.load(ordering: .acquiring))
    unsafe memory?.deinitialize(count: 1)
    unsafe memory?.deallocate()
  }

  package func get() throws(Failure) -> Value {
    if let createdValue { return createdValue }
    let created = try create()
    let memory = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    unsafe memory.initialize(to: created)
    let (isFirst, _) = address.compareExchange(
      expected: 0, desired: UInt(bitPattern: memory), ordering: .acquiringAndReleasing)
    if !isFirst {
      // No other thread has this address.
      unsafe memory.deinitialize(count: 1)
      unsafe memory.deallocate()
    }
    return createdValue ?? created
  }

  /// The value, if it has been created.
  package var createdValue: Value? {
    // A nonzero address points to an initialized value, which never changes.
    unsafe UnsafePointer<Value>(bitPattern: address.load(ordering: .acquiring))?.pointee
  }
}
