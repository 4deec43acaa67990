import Concurrency

/// An observation of a ``Serialized`` value.
///
/// The observation ends when ``cancel()`` is called or this object is released. It does not retain
/// the value.
public final class SerializedObservation: Sendable {
  private let lifetime: ObservationLifetime

  init(end: @escaping @Sendable () -> Void) {
    lifetime = ObservationLifetime(end: end)
  }

  /// Ends the observation; further calls do nothing.
  ///
  /// Waits for the access in progress, so the observer is not running when this method returns. An
  /// observer or the closure of an access can also call this method.
  public func cancel() {
    lifetime.cancel()
  }
}
