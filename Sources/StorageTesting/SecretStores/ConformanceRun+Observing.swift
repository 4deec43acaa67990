import Concurrency
import SecretStorage

// The checks of observers.
extension ConformanceRun {
  func observersAreNotified() async throws {
    let first = store.changes, second = store.changes
    try await writeInEachWay { await expectNotification(of: first, $0) }
    await expectNotification(of: second, "the same writes, second observer")
    let item = try other.add(Self.fullIdentity)
    await expectNotification(of: first, "add through another instance")
    try other.remove(item)
    await expectNotification(of: first, "remove through another instance")
  }

  func releasedObserversAreNotNotified() async throws {
    let calls = Lock(0)
    var observation: ChangeObservation? = store.observeChanges { calls.withLock { $0 += 1 } }
    let earlier = store.changes
    let item = try add(Self.fullIdentity)
    await expectNotification(of: earlier, "add")
    withExtendedLifetime(observation) {}
    observation = nil
    let remaining = store.changes
    let updated = try update(item, secret: Secret([1]))
    await expectNotification(of: remaining, "update")
    // A handler that was running when the observation ended has been counted by now.
    let count = calls.withLock { $0 }
    try remove(updated)
    await expectNotification(of: remaining, "remove")
    expect(
      calls.withLock { $0 } == count, "observeChanges",
      "no call after the observation was released")
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

  /// Expects a notification of a change since the last call, within the timeout.
  private func expectNotification(of changes: AsyncStream<Void>, _ operation: String) async {
    await findings.expectElement(
      of: changes, within: timeout, "observeChanges, \(operation)", "a call of the handler"
    ) { _ in true }
  }
}
