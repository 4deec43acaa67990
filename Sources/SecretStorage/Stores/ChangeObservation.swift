/// Keeps an observer of a store alive; releasing it ends the observation.
public final class ChangeObservation: Sendable {
  private let end: @Sendable () -> Void

  /// Makes a token that calls a closure when it is released.
  public init(onEnd end: @escaping @Sendable () -> Void) {
    self.end = end
  }

  deinit {
    end()
  }
}

extension SecretStore {
  /// An element after each change that anybody made, the newest kept when the consumer is slow.
  public var changes: AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let observation = observeChanges { continuation.yield() }
      continuation.onTermination = { _ in _ = observation }
    }
  }
}
