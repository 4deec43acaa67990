import Concurrency
import KeyValueStorage

// The checks of observers.
extension BackendRun {
  /// An observation whose handler yields an element, as long as this object is retained.
  private struct Observer<Element: Sendable>: Sendable {
    let stream: AsyncStream<Element>
    let observation: KeyValueObservation
  }

  private func observe<Element: Sendable>(
    yielding element: @escaping @Sendable () -> Element
  ) throws(KeyValueStoreError) -> Observer<Element> {
    let (stream, continuation) = AsyncStream.makeStream(of: Element.self)
    let observation = try backend.observe { continuation.yield(element()) }
    return Observer(stream: stream, observation: observation)
  }

  private func expectCall(of observer: Observer<Void>, _ operation: String) async {
    await findings.expectElement(
      of: observer.stream, within: timeout, "observe, \(operation)", "a call of the handler"
    ) { _ in true }
  }

  /// Returns an observer whose handler counts its calls, and yields the value of "key".
  private func observeValues(
    counting calls: Lock<Int> = Lock(0)
  ) throws(KeyValueStoreError) -> Observer<String?> {
    try observe { [self] () -> String? in
      calls.withLock { $0 += 1 }
      // An error counts as an old value.
      return (try? backend.load()).flatMap { value("key", in: $0) }
    }
  }

  private func expectValue(_ value: String, heardBy observer: Observer<String?>) async {
    await findings.expectElement(
      of: observer.stream, within: timeout, "load() in a handler of observe", "the new value"
    ) { $0 == value }
  }

  /// Expects an operation to write nothing, not even the same content, and to call no handler.
  func expectNoChange(_ operation: String, _ body: (String) throws -> Void) async throws {
    let calls = Lock(0)
    let observer = try observeValues(counting: calls)
    try set(["key": "1"])
    if notifiesOncePerChange { await expectValue("1", heardBy: observer) }
    let (revision, count) = (try backend.load().revision, calls.withLock { $0 })
    // A backend of a file may be unable to tell that a recent write was the last one.
    let isCertain = try !backend.hasChanged(since: revision)
    try body(operation)
    try expectLoad(["key": "1"], "after \(operation)")
    if isCertain { expect(try backend.load().revision == revision, operation, "no new revision") }
    try set(["key": "2"])
    if notifiesOncePerChange {
      await expectValue("2", heardBy: observer)
      expect(calls.withLock { $0 } <= count + 1, operation, "no call of a handler of observe")
    }
    withExtendedLifetime(observer) {}
  }

  func observersAreNotified() async throws {
    let changes: [(String, [String: String?])] = [
      ("a new key", ["a": "1"]), ("a new value", ["a": "2"]), ("a removal", ["a": nil]),
    ]
    for (instance, name) in [(backend, ""), (otherInstance, " by another instance")] {
      for (operation, values) in changes {
        // Each change has new observers, because an earlier one may be notified several times.
        let observers = [try observe {}, try observe {}]
        try set(values, in: instance)
        for observer in observers { await expectCall(of: observer, operation + name) }
        withExtendedLifetime(observers) {}
      }
    }
  }

  func notificationsFollowChanges() async throws {
    let observer = try observeValues()
    for (index, instance) in [otherInstance, backend, otherInstance].enumerated() {
      try set(["key": "\(index)"], in: instance)
      await expectValue("\(index)", heardBy: observer)
    }
    withExtendedLifetime(observer) {}
  }

  func changesAreNotifiedOnce() async throws {
    guard notifiesOncePerChange else { return }
    let calls = Lock(0)
    let observer = try observe { calls.withLock { $0 += 1 } }
    let count = 6
    for index in 0..<count {
      let instance = index.isMultiple(of: 2) ? backend : otherInstance
      try set(["key": "\(index)"], in: instance)
      await expectCall(of: observer, "one of \(count) changes")
    }
    // Only a second call for the last change, or one on another thread, may come too late to count.
    let last = try observe {}
    try set(["key": "last"])
    await expectCall(of: last, "a last change")
    await expectCall(of: observer, "a last change")
    expect(
      calls.withLock { $0 } <= count + 1, "observe", "one call for each of \(count + 1) changes")
    withExtendedLifetime((observer, last)) {}
  }

  func releasedObserversAreNotNotified() async throws {
    let calls = Lock(0)
    var released: Observer<Void>? = try observe { calls.withLock { $0 += 1 } }
    if let released {
      try set(["key": "1"])
      await expectCall(of: released, "a change")
    }
    released = nil
    let count = calls.withLock { $0 }
    let remaining = try observe {}
    let changes = 8
    for number in 0..<changes {
      try set(["key": "new \(number)"])
      await expectCall(of: remaining, "a change")
    }
    // A few calls for the earlier change may have begun before the release, on several threads.
    expect(
      calls.withLock { $0 } < count + changes / 2, "observe",
      "no call after the observation was released")
    withExtendedLifetime(remaining) {}
  }
}
