import Concurrency
import Dispatch

/// The values that observers received, in order, for tests to wait for.
package final class Heard<Value: Sendable & Equatable>: Sendable {
  private let values = Lock([Value]())
  private let news = DispatchSemaphore(value: 0)

  package init() {}

  package var all: [Value] { values.withLock { $0 } }

  package func hear(_ value: Value) {
    values.withLock { $0.append(value) }
    news.signal()
  }

  /// Waits until the newest value is this one.
  package func wait(for value: Value) { while all.last != value { news.wait() } }
}
