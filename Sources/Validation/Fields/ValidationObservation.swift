import Concurrency
import SerializedAccess

/// An observation of the report of a field or form.
///
/// The observation ends when ``cancel()`` is called or this object is released. It does not retain
/// the field or form.
public final class ValidationObservation: Sendable {
  private let lifetime: ObservationLifetime

  init(end: @escaping @Sendable () -> Void) { lifetime = ObservationLifetime(end: end) }

  /// Ends the observation; further calls have no effect.
  ///
  /// When this method returns, a call to the observer on another thread may still be in progress.
  public func cancel() { lifetime.cancel() }
}

/// The closures of one observer of reports.
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
