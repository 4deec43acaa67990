/// What keeps an observer of a ``Serialized`` value going.
///
/// The observation ends with ``cancel()`` or when this object is released. It does not keep the
/// value alive.
public final class SerializedObservation: Sendable {
  private let end: @Sendable () -> Void

  init(end: @escaping @Sendable () -> Void) {
    self.end = end
  }

  deinit {
    end()
  }

  /// Ends the observation; a second time it does nothing.
  ///
  /// Waits for the access that is under way, so that the observer does not run any more when this
  /// returns. An observer, or the closure of an access, can call it too.
  public func cancel() {
    end()
  }
}
