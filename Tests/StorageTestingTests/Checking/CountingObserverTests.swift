import Concurrency
import Testing

@testable import StorageTesting

struct CountingObserverTests {
  @Test func eachWaitNeedsANewNotification() async throws {
    let handler = Lock<(@Sendable () -> Void)?>(nil)
    let observer = CountingObserver { notify in
      handler.withLock { $0 = notify }
      return Lock(0)
    }
    let notify = try #require(handler.withLock { $0 })
    #expect(await !observer.isNotified(within: .milliseconds(1)))
    // A timeout does not affect later waits.
    notify()
    #expect(await observer.isNotified(within: .seconds(20)))
    #expect(await !observer.isNotified(within: .milliseconds(1)))
    // A second notification is not that of the next change.
    for _ in 0..<2 { notify() }
    #expect(await observer.isNotified(within: .seconds(20)))
    #expect(await !observer.isNotified(within: .milliseconds(1)))
    #expect(observer.count == 3)
  }
}
