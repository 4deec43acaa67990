/// What keeps an observer going, which ends with ``cancel()`` or when this is released.
public final class KeyValueObservation: Sendable {
  private let end: @Sendable () -> Void

  /// Makes an observation that ends by calling a closure, which may be called more than once.
  public init(end: @escaping @Sendable () -> Void) {
    self.end = end
  }

  deinit {
    end()
  }

  /// Ends the observation; a second time it does nothing.
  public func cancel() {
    end()
  }
}
