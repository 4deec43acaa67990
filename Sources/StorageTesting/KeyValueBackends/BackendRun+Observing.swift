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
    _ instance: (any KeyValueBackend)? = nil, yielding element: @escaping @Sendable () -> Element
  ) throws(KeyValueStoreError) -> Observer<Element> {
    let (stream, continuation) = AsyncStream.makeStream(of: Element.self)
    let observation = try (instance ?? backend).observe { continuation.yield(element()) }
    return Observer(stream: stream, observation: observation)
  }

  private func expectCall(of observer: Observer<Void>, _ operation: String) async {
    await findings.expectElement(
      of: observer.stream, within: timeout, "observe, \(operation)", "a call of the handler"
    ) { _ in true }
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
    let observer = try observe { [self] () -> String? in
      // An error counts as an old value.
      (try? backend.load()).flatMap { value("key", in: $0) }
    }
    for (index, instance) in [otherInstance, backend, otherInstance].enumerated() {
      try set(["key": "\(index)"], in: instance)
      await findings.expectElement(
        of: observer.stream, within: timeout, "load() in a handler of observe", "the new value"
      ) { $0 == "\(index)" }
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
    // All calls for the last change are made before this one is awaited.
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
    let remaining = try observe {}
    try set(["key": "2"])
    await expectCall(of: remaining, "a change")
    // A handler that was running when the observation ended has been counted by now.
    let count = calls.withLock { $0 }
    for number in 3..<6 {
      try set(["key": "\(number)"])
      await expectCall(of: remaining, "a change")
    }
    expect(
      calls.withLock { $0 } == count, "observe", "no call after the observation was released")
    withExtendedLifetime(remaining) {}
  }
}
