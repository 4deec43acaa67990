/// What keeps an observer going, which ends with ``cancel()`` or when this is released.
public final class ValidationObservation: Sendable {
  private let end: @Sendable () -> Void

  init(end: @escaping @Sendable () -> Void) {
    self.end = end
  }

  deinit {
    end()
  }

  /// Ends the observation; a second time it does nothing.
  ///
  /// A call of the observer that is under way on another thread may still come to its end.
  public func cancel() {
    end()
  }
}
