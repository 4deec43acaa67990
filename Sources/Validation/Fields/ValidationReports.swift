/// A report as it is now, and then after each change.
///
/// Whoever is slow gets the newest report and none of those in between, and never an older one after a
/// newer one. Any number of consumers can iterate, each for itself. The sequence ends when what reports
/// is gone, or when the task of the consumer is cancelled; it keeps nothing alive.
public struct ValidationReports<Report: Equatable & Sendable>: AsyncSequence, Sendable {
  /// The type of the reports.
  public typealias Element = Report
  /// Nothing fails.
  public typealias Failure = Never

  /// The report, or nil when what reports is gone.
  let current: @Sendable () -> Report?
  /// Adds somebody who hears of changes and of the end; nil when what reports is gone.
  let observe:
    @Sendable (
      _ changed: @escaping @Sendable () -> Void, _ ended: @escaping @Sendable () -> Void
    ) -> ValidationObservation?

  /// Begins an iteration, with the report as it is at the first call of `next()`.
  public func makeAsyncIterator() -> Iterator {
    // The news carries nothing, and the report is read when it is asked for: so that neither a slow
    // consumer nor two threads that announce at once can bring an older report after a newer one.
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

  /// What goes through the reports for one consumer.
  public struct Iterator: AsyncIteratorProtocol {
    var news: AsyncStream<Void>.Iterator
    let current: @Sendable () -> Report?
    private var last: Report?

    init(news: AsyncStream<Void>.Iterator, current: @escaping @Sendable () -> Report?) {
      self.news = news
      self.current = current
    }

    /// Waits until the report differs from the last one that was returned; nil at the end.
    public mutating func next() async -> Report? {
      await next(isolation: #isolation)
    }

    /// Waits in the same way, on the actor of whoever calls.
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

// An iterator is one consumer's.
@available(*, unavailable)
extension ValidationReports.Iterator: Sendable {}
