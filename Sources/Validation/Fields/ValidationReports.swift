import SerializedAccess

/// An asynchronous sequence of the current report and the report after each change.
///
/// Several consumers can iterate over the sequence. A slow consumer skips intermediate reports, and
/// no consumer receives an older report after a newer one. It does not retain the field or form,
/// and ends when that is released, or when the consumer's task is cancelled.
public struct ValidationReports<Report: Equatable & Sendable>: AsyncSequence, Sendable {
  /// The type of the reports.
  public typealias Element = Report
  /// The sequence never fails.
  public typealias Failure = Never

  // The closures return nil if the field or form was released.
  let current: @Sendable () -> Report?
  let observe: @Sendable (@escaping @Sendable () -> Void) -> ValidationObservation?

  /// Returns an iterator that begins with the current report.
  public func makeAsyncIterator() -> Iterator {
    // The stream only signals changes, so that no older report is delivered after a newer one.
    let (changes, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    continuation.yield()
    // The stream ends when the observer is released, with the field or form.
    let feed = SerializedFeed(continuation)
    let observation = observe { feed.continuation.yield() }
    continuation.onTermination = { _ in observation?.cancel() }
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
      current: { [weak self] in self?.report }, observe: { [weak self] in self?.observe($0) })
  }

  /// Calls a closure after each change of the report, until the returned object is released.
  ///
  /// The closure runs on the thread that made the change, possibly on several at once. It can read
  /// reports and change fields.
  public func observe(_ observer: @escaping @Sendable () -> Void) -> ValidationObservation {
    observers.add(observer)
  }
}
