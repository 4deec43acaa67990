import Concurrency

/// The observation of a store.
///
/// It ends with ``cancel()`` or when this object is released. It does not keep the store alive.
public final class ChangeObservation: Sendable {
  private let lifetime: ObservationLifetime
  private let findProblem: @Sendable () -> SecretStoreError?

  /// Creates an observation that ends by calling a closure, which concurrent calls of ``cancel()``
  /// may call more than once.
  public convenience init(end: @escaping @Sendable () -> Void) {
    self.init(problem: { nil }, end: end)
  }

  init(
    problem: @escaping @Sendable () -> SecretStoreError?, end: @escaping @Sendable () -> Void
  ) {
    findProblem = problem
    lifetime = ObservationLifetime(end: end)
  }

  /// The reason why changes by other processes are reported with a delay; nil if there is none.
  var problem: SecretStoreError? { findProblem() }

  /// Ends the observation; further calls do nothing.
  ///
  /// A call of the handler that has begun on another thread may still finish.
  public func cancel() {
    lifetime.cancel()
  }
}
