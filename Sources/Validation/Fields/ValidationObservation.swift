import Concurrency

/// An observation of a field or form, which ends when it is cancelled or released.
///
/// The observation does not retain the field or form.
public final class ValidationObservation: Sendable {
  private let lifetime: ObservationLifetime

  init(end: @escaping @Sendable () -> Void) { lifetime = ObservationLifetime(end: end) }

  /// Ends the observation, but not a call of the observer that another thread has begun.
  public func cancel() { lifetime.cancel() }
}

/// The observers of a field or form, which releases them with itself.
final class ReportObservers: Sendable {
  private let observers: Lock<Observers<@Sendable () -> Void>> = Lock(Observers())

  func add(_ observer: @escaping @Sendable () -> Void) -> ValidationObservation {
    let observer = Observer(observer)
    observers.withLock { $0.add(observer) }
    return ValidationObservation(
      end: observer.end { [weak self] observer in
        self?.observers.withLock { $0.remove(observer) }
      })
  }

  func notify() { for observer in observers.withLock({ $0.all }) { observer.handler?() } }
}
