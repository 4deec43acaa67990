public import Synchronization

/// A holder of an object, which is created on first use and released with the holder.
///
/// After a failure, the next use retries. Of objects that threads create concurrently, the first is
/// kept.
///
/// The class is public, because a `package` function is not compiled for the types of its caller,
/// and looking up the types would take longer than all the rest.
public final class LazyValue<Value: AnyObject & Sendable, Failure: Error>: Sendable {
  @usableFromInline let created = AtomicLazyReference<Value>()
  @usableFromInline let create: @Sendable () throws(Failure) -> Value

  /// Creates a holder; `create` may also be called after a failure, and by several threads at once.
  public init(_ create: @escaping @Sendable () throws(Failure) -> Value) { self.create = create }

  /// Returns the object, and creates it on first use.
  @inlinable public func get() throws(Failure) -> Value {
    if let createdValue { return createdValue }
    return created.storeIfNil(try create())
  }

  /// The object; nil before its first use.
  @inlinable public var createdValue: Value? { created.load() }
}
