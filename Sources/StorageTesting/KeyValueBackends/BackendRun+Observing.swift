import Concurrency
import KeyValueStorage

extension BackendRun {
  private func observer(of backend: any KeyValueBackend) async throws -> CountingObserver {
    try await Self.blocking { try CountingObserver { try backend.observe($0) } }
  }

  /// Sets keys as `set(_:in:)` does, without blocking the task's thread.
  private func write(
    _ values: KeyValuePairs<String, Int?>, in backend: (any KeyValueBackend)? = nil
  ) async throws {
    try await Self.blocking { try set(values, in: backend) }
  }

  func observersAreNotified() async throws {
    let first = try await observer(of: backend)
    let second = try await observer(of: backend)
    let changes: [KeyValuePairs<String, Int?>] = [["a": 1], ["a": 2], ["b": 1], ["a": nil]]
    for (change, name) in zip(changes, ["a new key", "a new value", "a second key", "a removal"]) {
      try await write(change)
      try await expectNotification(of: first, "observe, \(name)")
    }
    try await expectNotification(of: second, "observe, the same changes, second observer")
  }

  func observersAreNotifiedOfOtherBackend() async throws {
    let observer = try await observer(of: backend)
    try await write(["a": 1], in: other)
    try await expectNotification(of: observer, "observe, update through another backend")
    try await write(["a": nil], in: other)
    try await expectNotification(of: observer, "observe, removal through another backend")
  }

  func observersAreNotifiedOnce() async throws {
    let observer = try await observer(of: backend)
    let count = 20
    for number in 1...count {
      try await write(["a": number])
      try await expectNotification(of: observer, "observe, update \(number)")
    }
    expect(
      !notifiesOnce || observer.count <= count, "observe",
      "at most \(count) calls of the handler for \(count) changes, but got \(observer.count)")
  }

  func handlersSeeTheChange() async throws {
    let expected = Lock(0)
    let seen = try await Self.blocking {
      try CountingObserver { notify in
        try backend.observe {
          do {
            let number = try integer("a", in: try backend.load())
            if number == expected.withLock({ $0 }) { notify() }
          } catch {
            findings.add("load in a handler: unexpected error: \(error)")
          }
        }
      }
    }
    for number in 1...5 {
      expected.withLock { $0 = number }
      try await write(["a": number], in: number.isMultiple(of: 2) ? backend : other)
      let isSeen = await seen.isNotified(within: timeout)
      expect(isSeen, "observe", "a call to the handler in which load returns the change")
      if !isSeen { return }
    }
  }

  func handlersRunOutsideCalls() throws {
    let detector = ReentranceDetector()
    func call<Result>(_ operation: String, _ body: () throws -> Result) rethrows -> Result {
      let (result, hasRun) = try detector.perform(body)
      expect(!hasRun, "observe, \(operation)", "the handler to run outside of the call")
      return result
    }
    let observation = try call("observe") { try backend.observe(detector.handle) }
    for number in 1...3 { _ = try call("update") { try set(["a": number]) } }
    _ = try call("load") { try backend.load() }
    withExtendedLifetime(observation) {}
  }

  func releasedObserversAreNotNotified() async throws {
    let observer = try await observer(of: backend)
    try await write(["a": 1])
    try await expectNotification(of: observer, "observe")
    try await Self.blocking(observer.stop)
    let remaining = try await self.observer(of: backend)
    // A handler that was running when the observation ended may still have been counted.
    let count = observer.count
    try await write(["a": 2])
    try await expectNotification(of: remaining, "observe, after another observation was released")
    expect(observer.count <= count + 1, "observe", "no call after the observation was released")
    let last = observer.count
    try await write(["a": 3])
    try await expectNotification(of: remaining, "observe, after another observation was released")
    expect(observer.count == last, "observe", "no call after the observation was released")
  }

  func storeReportsEachChangeOnce() async throws {
    let seen = Lock<[Int]>([])
    let reported = try await Self.blocking {
      let store = KeyValueStore(backend)
      return CountingObserver { notify in
        let observation = StoredValue(wrappedValue: 0, "a", in: store).observe { _, new in
          seen.withLock { $0.append(new) }
          notify()
        }
        // An observation does not retain its store.
        return Lock((store, observation))
      }
    }
    for number in 1...10 {
      try await write(["a": number], in: other)
      try await expectNotification(of: reported, "observer of a store on the backend")
    }
    withExtendedLifetime(reported) {}
    let numbers = seen.withLock { $0 }
    expect(
      numbers == Array(1...10), "observer of a store on the backend",
      "one report of each value, but got \(numbers)")
  }
}
