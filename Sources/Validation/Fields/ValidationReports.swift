import Concurrency
import Observation
import SerializedAccess

/// An asynchronous sequence of the current report and the report after each change.
///
/// A slow consumer skips intermediate reports, and no consumer receives an older report after a
/// newer one. Several consumers can iterate independently. The sequence does not retain the field
/// or form. It ends when that is released, or when the consumer's task is cancelled.
public struct ValidationReports<Report: Equatable & Sendable>: AsyncSequence, Sendable {
  /// The type of the reports.
  public typealias Element = Report
  /// The sequence never fails.
  public typealias Failure = Never

  /// Returns the current report, or nil if the field or form was released.
  let current: @Sendable () -> Report?
  /// Registers an observer, or returns nil if the field or form was released.
  let observe:
    @Sendable (
      _ changed: @escaping @Sendable () -> Void, _ ended: @escaping @Sendable () -> Void
    ) -> ValidationObservation?

  /// Returns an iterator that begins with the current report.
  public func makeAsyncIterator() -> Iterator {
    // The stream signals changes, and `next()` reads the current report. Therefore, concurrent
    // changes cannot deliver an older report after a newer one.
    let (changes, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    continuation.yield()
    if let observation = observe({ continuation.yield() }, { continuation.finish() }) {
      continuation.onTermination = { _ in observation.cancel() }
    } else {
      continuation.finish()
    }
    return Iterator(changes: changes.makeAsyncIterator(), current: current)
  }

  /// An iterator over the reports for one consumer.
  public struct Iterator: AsyncIteratorProtocol {
    var changes: AsyncStream<Void>.Iterator
    let current: @Sendable () -> Report?
    var last: Report?

    /// Waits for a report that differs from the previous one, or returns nil at the end.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Report? {
      while await changes.next(isolation: actor) != nil {
        guard let report = current() else { return nil }
        if report != last {
          last = report
          return report
        }
      }
      return nil
    }
  }
}

// An iterator belongs to one consumer.
@available(*, unavailable)
extension ValidationReports.Iterator: Sendable {}

extension ValidatedField {
  /// The current report and the report after each change, as an asynchronous sequence.
  public var reports: ValidationReports<ValidationReport> {
    ValidationReports(
      current: { [weak self] in self?.report },
      observe: { [weak self] in self?.state.addObserver(to: \.observers, changed: $0, ended: $1) })
  }

  /// Calls a closure after each change of the report, until the returned object is released.
  ///
  /// The closure runs on the thread that made the change, possibly on several threads
  /// simultaneously. It can read reports and change fields.
  public func observe(_ observer: @escaping @Sendable () -> Void) -> ValidationObservation {
    state.addObserver(to: \.observers, changed: observer)
  }
}

/// The properties of a field that the Observation framework tracks.
///
/// This class is not generic, because the key paths of a generic class are created at each use.
/// That would take longer than the rest of the work for a keystroke.
final class ObservedProperties: Observable, Sendable {
  private let registrar = ObservationRegistrar()

  private var value: Void { () }
  private var report: Void { () }

  func accessValue() { registrar.access(self, keyPath: \.value) }
  func valueWillChange() { registrar.willSet(self, keyPath: \.value) }
  func valueDidChange() { registrar.didSet(self, keyPath: \.value) }

  func accessReport() { registrar.access(self, keyPath: \.report) }
  func reportWillChange() { registrar.willSet(self, keyPath: \.report) }
  func reportDidChange() { registrar.didSet(self, keyPath: \.report) }
}

/// An observation of the report of a field or form.
///
/// It ends when this object is cancelled or released, and does not retain the field or form.
public final class ValidationObservation: Sendable {
  private let lifetime: ObservationLifetime

  init(end: @escaping @Sendable () -> Void) { lifetime = ObservationLifetime(end: end) }

  /// Ends the observation; further calls have no effect.
  ///
  /// When this method returns, a call of the observer on another thread may still be in progress.
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
