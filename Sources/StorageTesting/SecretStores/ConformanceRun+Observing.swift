import Concurrency
import SecretStorage

// The checks of observers.
extension ConformanceRun {
  func observersAreNotified() async throws {
    let first = CountingObserver(store), second = CountingObserver(store)
    var item = try add(Self.fullIdentity)
    await expectNotification(of: first, "add")
    item = try update(item, Self.attributes)
    await expectNotification(of: first, "update of attributes")
    item = try update(item, secret: Secret([1]))
    await expectNotification(of: first, "update of the secret")
    try remove(item)
    await expectNotification(of: first, "remove")
    await expectNotification(of: second, "the same writes, second observer")
    item = try otherInstance.add(
      Secret([1]), identity: Self.fullIdentity, attributes: ItemAttributes())
    await expectNotification(of: first, "add through another instance")
    try otherInstance.remove(item.id, expecting: item.revision)
    await expectNotification(of: first, "remove through another instance")
  }

  func releasedObserversAreNotNotified() async throws {
    let observer = CountingObserver(store)
    let item = try add(Self.fullIdentity)
    await expectNotification(of: observer, "add")
    observer.stop()
    let remaining = CountingObserver(store)
    let updated = try update(item, secret: Secret([1]))
    await expectNotification(of: remaining, "update")
    // A handler that was running when the observation ended has been counted by now.
    let count = observer.count
    try remove(updated)
    await expectNotification(of: remaining, "remove")
    expect(observer.count == count, "observeChanges", "no call after the observation was released")
  }

  func handlersRunOutsideWrites() throws {
    let thread = ThreadIdentity.current
    let isWriting = Lock(false), ranDuringWrite = Lock(false)
    let observation = store.observeChanges {
      // A dispatch queue may reuse this thread between two writes.
      if thread == .current, isWriting.withLock({ $0 }) { ranDuringWrite.withLock { $0 = true } }
    }
    func write<Result>(_ operation: String, _ body: () throws -> Result) rethrows -> Result {
      ranDuringWrite.withLock { $0 = false }
      isWriting.withLock { $0 = true }
      defer { isWriting.withLock { $0 = false } }
      let result = try body()
      expect(
        !ranDuringWrite.withLock { $0 }, "observeChanges, \(operation)",
        "the handler to run outside the operation")
      return result
    }
    var item = try write("add") { try add(Self.fullIdentity) }
    item = try write("update") { try update(item, secret: Secret([1])) }
    try write("remove") { try remove(item) }
    withExtendedLifetime(observation) {}
  }

  private func expectNotification(of observer: CountingObserver, _ operation: String) async {
    let isNotified = await observer.isNotified(within: timeout)
    expect(isNotified, "observeChanges, \(operation)", "a call of the handler")
  }
}

private final class CountingObserver {
  private let total = Lock(0)
  private let calls: AsyncStream<Void>
  private var observation: ChangeObservation?

  init(_ store: any SecretStore) {
    let (calls, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.calls = calls
    observation = store.observeChanges { [total] in
      total.withLock { $0 += 1 }
      continuation.yield()
    }
  }

  var count: Int { total.withLock { $0 } }

  func stop() { observation = nil }

  /// Waits for a notification since the last wait; returns false on timeout.
  func isNotified(within timeout: Duration?) async -> Bool {
    await withTaskGroup(of: Bool.self) { [calls] group in
      group.addTask {
        for await _ in calls { return true }
        return false
      }
      if let timeout {
        group.addTask {
          // The sleep is cancelled when a notification arrives.
          try? await Task.sleep(for: timeout)
          return false
        }
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
  }
}
