import Concurrency
import KeyValueStorage

// The checks of observers.
extension BackendRun {
  /// An observation whose handler yields the value of "key", as long as this object is retained.
  private struct Observer: Sendable {
    let values: AsyncStream<String?>
    let observation: KeyValueObservation
  }

  /// Returns an observer whose handler counts its calls.
  private func observe(counting calls: Lock<Int> = Lock(0)) throws(KeyValueStoreError) -> Observer {
    let (values, continuation) = AsyncStream.makeStream(of: String?.self)
    let observation = try backend.observe { [self] in
      calls.withLock { $0 += 1 }
      // An error counts as an old value.
      continuation.yield((try? backend.load()).flatMap { value("key", in: $0) })
    }
    return Observer(values: values, observation: observation)
  }

  private func expectCall(of observer: Observer, _ operation: String) async {
    await findings.expectElement(
      of: observer.values, within: timeout, "observe, \(operation)", "a call of the handler"
    ) { _ in true }
  }

  private func expectValue(_ value: String, heardBy observer: Observer) async {
    await findings.expectElement(
      of: observer.values, within: timeout, "load() in a handler of observe", "the new value"
    ) { $0 == value }
  }

  /// Expects an operation to write nothing, not even the same content, and to call no handler.
  func expectNoChange(_ operation: String, _ body: (String) throws -> Void) async throws {
    let calls = Lock(0)
    let observer = try observe(counting: calls)
    try set(["key": "1"])
    if notifiesOncePerChange { await expectValue("1", heardBy: observer) }
    let (revision, count) = (try backend.load().revision, calls.withLock { $0 })
    // A backend of a file may be unable to tell that a recent write was the last one.
    let isCertain = try !backend.hasChanged(since: revision)
    try body(operation)
    try expectLoad(["key": "1"], "after \(operation)")
    // The revision of each load may be new, so only the backend can tell whether it changed.
    if isCertain { expect(try !backend.hasChanged(since: revision), operation, "no change") }
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
        let observers = [try observe(), try observe()]
        try set(values, in: instance)
        for observer in observers { await expectCall(of: observer, operation + name) }
        withExtendedLifetime(observers) {}
      }
    }
  }

  func notificationsFollowChanges() async throws {
    let observer = try observe()
    for (index, instance) in [otherInstance, backend, otherInstance].enumerated() {
      try set(["key": "\(index)"], in: instance)
      await expectValue("\(index)", heardBy: observer)
    }
    withExtendedLifetime(observer) {}
  }

  func changesAreNotifiedOnce() async throws {
    guard notifiesOncePerChange else { return }
    let calls = Lock(0)
    let observer = try observe(counting: calls)
    let count = 6
    for index in 0..<count {
      let instance = index.isMultiple(of: 2) ? backend : otherInstance
      try set(["key": "\(index)"], in: instance)
      await expectCall(of: observer, "one of \(count) changes")
    }
    // Only a second call for the last change, or one on another thread, may come too late to count.
    let last = try observe()
    try set(["key": "last"])
    await expectCall(of: last, "a last change")
    await expectCall(of: observer, "a last change")
    expect(
      calls.withLock { $0 } <= count + 1, "observe", "one call for each of \(count + 1) changes")
    withExtendedLifetime((observer, last)) {}
  }

  func releasedObserversAreNotNotified() async throws {
    let calls = Lock(0)
    var released: Observer? = try observe(counting: calls)
    if let released {
      try set(["key": "1"])
      await expectCall(of: released, "a change")
    }
    released = nil
    let count = calls.withLock { $0 }
    let remaining = try observe()
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
