import Synchronization

/// A value that is created on first use and released with this object.
///
/// After a failure, the next use retries. Of values that are created at once, the first is kept.
package final class LazyValue<Value: Sendable, Failure: Error>: Sendable {
  private let created = AtomicLazyReference<Box<Value>>()
  private let create: @Sendable () throws(Failure) -> Value

  package init(_ create: @escaping @Sendable () throws(Failure) -> Value) { self.create = create }

  package func get() throws(Failure) -> Value {
    if let createdValue { return createdValue }
    return created.storeIfNil(Box(try create())).value
  }

  package var createdValue: Value? { created.load()?.value }
}
