import Concurrency
import Testing

@Suite struct ObserversTests {
  private typealias List = Observers<@Sendable () -> Void>

  @Test func observersAreCalledInTheOrderOfRegistration() {
    let heard = Lock([Int]())
    var list = List()
    for number in 0..<3 { list.add(Observer { heard.withLock { $0.append(number) } }) }
    for observer in list.all { observer.handler?() }
    #expect(heard.withLock { $0 } == [0, 1, 2])
  }

  @Test func observerIsAddedOnceAndNotAfterItsEnd() {
    var list = List()
    let observer = Observer<@Sendable () -> Void> {}
    list.add(observer)
    list.add(observer)
    #expect(list.all.count == 1)
    observer.cancel()
    list.remove(observer)
    list.add(observer)
    #expect(list.isEmpty)
    let cancelled = Observer<@Sendable () -> Void> {}
    cancelled.cancel()
    list.add(cancelled)
    #expect(list.isEmpty)
  }

  @Test func endedObserverIsNotCalled() {
    let list = Lock(List())
    let observer = Observer<@Sendable () -> Void> { Issue.record("called after the end") }
    list.withLock { $0.add(observer) }
    let copy = list.withLock { $0.all }
    let end = observer.end { observer in list.withLock { $0.remove(observer) } }
    end()
    end()
    #expect(list.withLock { $0.isEmpty })
    for observer in copy { observer.handler?() }
  }

  @Test func handlerIsReleasedWithoutTheLock() {
    final class Captured: Sendable {
      let onRelease: @Sendable () -> Void
      init(onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }
      deinit { onRelease() }
    }

    let list = Lock(List())
    let isReleased = Lock(false)
    let end: @Sendable () -> Void
    do {
      // Would wait for the lock of the list forever if the handler were released inside.
      let captured = Captured {
        list.withLock { _ in }
        isReleased.withLock { $0 = true }
      }
      let observer = Observer<@Sendable () -> Void> { withExtendedLifetime(captured) {} }
      list.withLock { $0.add(observer) }
      end = observer.end { observer in list.withLock { $0.remove(observer) } }
    }
    #expect(!isReleased.withLock { $0 })
    end()
    #expect(isReleased.withLock { $0 })
  }

  @Test func lifetimeEndsOnceByCancellingOrByReleasing() {
    let ends = Lock(0)
    var lifetime: ObservationLifetime? = ObservationLifetime { ends.withLock { $0 += 1 } }
    lifetime?.cancel()
    #expect(ends.withLock { $0 } == 1)
    lifetime?.cancel()
    lifetime = nil
    #expect(ends.withLock { $0 } == 1)
    lifetime = ObservationLifetime { ends.withLock { $0 += 1 } }
    lifetime = nil
    #expect(ends.withLock { $0 } == 2)
  }
}
