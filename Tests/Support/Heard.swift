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

  /// Waits until the newest value is this one; false after a time that only a failure takes.
  package func wait(for value: Value) -> Bool {
    let end = DispatchTime.now() + .seconds(60)
    while all.last != value {
      if news.wait(timeout: end) == .timedOut { return false }
    }
    return true
  }
}
