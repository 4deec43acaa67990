import Concurrency
import SerializedAccess

/// An observation of a field or form, which ends when it is cancelled or released.
///
/// It does not retain the field or form.
public final class ValidationObservation: Sendable {
  private let lifetime: ObservationLifetime

  init(end: @escaping @Sendable () -> Void) { lifetime = ObservationLifetime(end: end) }

  /// Ends the observation, but not a call of the observer that another thread has begun.
  public func cancel() { lifetime.cancel() }
}

struct ReportHandler: Sendable {
  /// Called after each change.
  let changed: @Sendable () -> Void
  /// Called when the field or form is released.
  let ended: @Sendable () -> Void
}

extension Serialized where Value: Sendable {
  /// Adds an observer to a list in the value, until the returned object is released.
  func addObserver(
    to list: any WritableKeyPath<Value, Observers<ReportHandler>> & Sendable,
    changed: @escaping @Sendable () -> Void, ended: @escaping @Sendable () -> Void = {}
  ) -> ValidationObservation {
    let observer = Observer(ReportHandler(changed: changed, ended: ended))
    access { $0[keyPath: list].add(observer) }
    return ValidationObservation(
      end: observer.end { [weak self] observer in
        self?.access { $0[keyPath: list].remove(observer) }
      })
  }
}
