import Concurrency

/// An observation of a store or of one of its values.
///
/// The observation ends when ``cancel()`` is called or this object is released. It does not retain
/// the store.
public final class KeyValueObservation: Sendable {
  private let lifetime: ObservationLifetime
  /// Returns the reason why changes are reported with a delay; nil if they are not.
  let findError: @Sendable () -> KeyValueStoreError?

  /// Creates an observation with a closure that ends it.
  ///
  /// Concurrent calls of ``cancel()`` may call the closure more than once.
  public convenience init(end: @escaping @Sendable () -> Void) {
    self.init(error: { nil }, end: end)
  }

  init(error: @escaping @Sendable () -> KeyValueStoreError?, end: @escaping @Sendable () -> Void) {
    findError = error
    lifetime = ObservationLifetime(end: end)
  }

  /// Ends the observation; further calls do nothing.
  ///
  /// A call of the handler that is running on another thread may still finish.
  public func cancel() { lifetime.cancel() }
}
