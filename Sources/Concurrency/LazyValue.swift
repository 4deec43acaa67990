import Synchronization

/// A value that is created on first use and released with this object.
///
/// After a failure, the next use retries. Of two values that threads create concurrently, the first
/// is kept.
package final class LazyValue<Value: Sendable, Failure: Error>: Sendable {
  private final class Created: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
  }

  private let created = AtomicLazyReference<Created>()
  private let create: @Sendable () throws(Failure) -> Value

  package init(_ create: @escaping @Sendable () throws(Failure) -> Value) { self.create = create }

  package func get() throws(Failure) -> Value {
    if let createdValue { return createdValue }
    return created.storeIfNil(Created(try create())).value
  }

  /// The value, if it has been created.
  package var createdValue: Value? { created.load()?.value }
}
