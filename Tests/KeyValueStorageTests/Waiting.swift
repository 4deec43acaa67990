import Dispatch
import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Waits until something outside of the process has come true; throws after a time that only a
/// failure takes.
func wait(until isTrue: () throws -> Bool) throws {
  let end = ContinuousClock.now.advanced(by: .seconds(120))
  while try !isTrue() {
    if ContinuousClock.now > end { throw WaitedInVain() }
    usleep(1000)
  }
}

struct WaitedInVain: Error {}

/// What observers told, in order, for tests to wait for.
final class Heard<Value: Sendable & Equatable>: Sendable {
  private let values = Lock([Value]())
  private let news = DispatchSemaphore(value: 0)

  var all: [Value] { values.withLock { $0 } }

  func hear(_ value: Value) {
    values.withLock { $0.append(value) }
    news.signal()
  }

  /// Waits until the newest value is this one; false after a time that only a failure takes.
  func wait(for value: Value) -> Bool {
    let end = DispatchTime.now() + .seconds(60)
    while all.last != value {
      if news.wait(timeout: end) == .timedOut { return false }
    }
    return true
  }
}
