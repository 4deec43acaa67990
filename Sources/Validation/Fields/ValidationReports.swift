import Concurrency
import Observation
import SerializedAccess

/// The current report, followed by the report after each change.
///
/// A slow consumer gets the newest report, without intermediate ones, and never an older one after
/// a newer one. Any number of consumers can iterate independently. The sequence ends when its field
/// or form is released, or when the consumer's task is cancelled; it keeps nothing alive.
public struct ValidationReports<Report: Equatable & Sendable>: AsyncSequence, Sendable {
  /// The type of the reports.
  public typealias Element = Report
  /// The sequence never fails.
  public typealias Failure = Never

  /// The current report, or nil after the field or form was released.
  let current: @Sendable () -> Report?
  /// The registration of an observer; nil after the field or form was released.
  let observe:
    @Sendable (
      _ changed: @escaping @Sendable () -> Void, _ ended: @escaping @Sendable () -> Void
    ) -> ValidationObservation?

  /// Creates an iterator, whose first call of `next()` returns the current report.
  public func makeAsyncIterator() -> Iterator {
    // The stream only signals changes, and `next()` reads the report. So neither a slow consumer
    // nor two concurrent announcements can deliver an older report after a newer one.
    let (news, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    continuation.yield()
    if let observation = observe({ continuation.yield() }, { continuation.finish() }) {
      continuation.onTermination = { _ in observation.cancel() }
    } else {
      continuation.finish()
    }
    return Iterator(news: news.makeAsyncIterator(), current: current)
  }

  /// An iterator over the reports for one consumer.
  public struct Iterator: AsyncIteratorProtocol {
    var news: AsyncStream<Void>.Iterator
    let current: @Sendable () -> Report?
    private var last: Report?

    init(news: AsyncStream<Void>.Iterator, current: @escaping @Sendable () -> Report?) {
      self.news = news
      self.current = current
    }

    /// Waits until the report differs from the last returned one; nil at the end.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Report? {
      while await news.next(isolation: actor) != nil {
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
  /// The current report, followed by the report after each change.
  public var reports: ValidationReports<ValidationReport> {
    ValidationReports(
      current: { [weak self] in self?.report },
      observe: { [weak self] in self?.state.addObserver(to: \.observers, changed: $0, ended: $1) })
  }

  /// Calls a closure after each change of the report, until the result is released.
  ///
  /// The closure runs on the thread that made the change, possibly on two threads at once. It reads
  /// the report itself, so a report is never older than the previous one. It may change fields.
  public func observe(_ observer: @escaping @Sendable () -> Void) -> ValidationObservation {
    state.addObserver(to: \.observers, changed: observer)
  }
}

/// The observation of a field's or a form's report.
///
/// It ends with ``cancel()`` or when this object is released. It does not keep the field or form
/// alive.
public final class ValidationObservation: Sendable {
  private let lifetime: ObservationLifetime

  init(end: @escaping @Sendable () -> Void) {
    lifetime = ObservationLifetime(end: end)
  }

  /// Ends the observation; further calls do nothing.
  ///
  /// A call of the observer that has begun on another thread may still finish.
  public func cancel() {
    lifetime.cancel()
  }
}

/// The closures of one observer of reports.
struct ReportHandler: Sendable {
  let changed: @Sendable () -> Void
  /// The callback after the last change.
  let ended: @Sendable () -> Void
}

extension Serialized where Value: Sendable {
  /// Adds an observer to a list of the value, until the result is released.
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

/// The observable properties of a field, for Swift's Observation.
///
/// Separate from the field, because the key paths of a generic class are created at each use, which
/// takes longer than all other work of a keystroke.
final class ObservedProperties: Observable, Sendable {
  private let registrar = ObservationRegistrar()

  private var value: Void { () }
  private var report: Void { () }

  func valueIsRead() { registrar.access(self, keyPath: \.value) }
  func valueWillChange() { registrar.willSet(self, keyPath: \.value) }
  func valueDidChange() { registrar.didSet(self, keyPath: \.value) }

  func reportIsRead() { registrar.access(self, keyPath: \.report) }
  func reportWillChange() { registrar.willSet(self, keyPath: \.report) }
  func reportDidChange() { registrar.didSet(self, keyPath: \.report) }
}
