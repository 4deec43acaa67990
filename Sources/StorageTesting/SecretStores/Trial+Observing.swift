import Concurrency
import SecretStorage
import Synchronization

extension Trial {
  func observersHearWrites() async throws {
    let listener = Listener(store), second = Listener(store)
    var item = try add(Self.full)
    await expectHeard(listener, "add")
    item = try update(item, Self.attributes)
    await expectHeard(listener, "update of attributes")
    item = try update(item, secret: Secret([1]))
    await expectHeard(listener, "update of the secret")
    try store.remove(item.id, expecting: item.revision)
    await expectHeard(listener, "remove")
    await expectHeard(second, "the writes, by a second observer")
  }

  func observersHearAnotherInstance() async throws {
    let listener = Listener(store)
    let item = try another.add(
      Secret([1]), identity: Self.full, attributes: ItemAttributes())
    await expectHeard(listener, "add by another instance")
    try another.remove(item.id, expecting: item.revision)
    await expectHeard(listener, "remove by another instance")
  }

  func releasedObserversHearNothing() async throws {
    let listener = Listener(store)
    let item = try add(Self.full)
    await expectHeard(listener, "add")
    listener.release()
    let witness = Listener(store)
    // A call that was running when the observer was released may still have arrived.
    let before = listener.count
    try store.remove(item.id, expecting: item.revision)
    await expectHeard(witness, "remove")
    expect(listener.count == before, "a change after the release", "no call of the handler")
  }

  func observersRunElsewhere() throws {
    let thread = ThreadIdentity.current
    let isWriting = Flag(), isInside = Flag()
    let observation = store.observeChanges {
      // Between two calls, a queue may use the same thread.
      if isWriting.isSet.load(ordering: .sequentiallyConsistent), thread == .current {
        isInside.isSet.store(true, ordering: .sequentiallyConsistent)
      }
    }
    func write<Result>(_ operation: String, _ body: () throws -> Result) rethrows -> Result {
      isWriting.isSet.store(true, ordering: .sequentiallyConsistent)
      defer { isWriting.isSet.store(false, ordering: .sequentiallyConsistent) }
      let result = try body()
      expect(
        !isInside.isSet.exchange(false, ordering: .sequentiallyConsistent),
        "observeChanges, \(operation)", "a call of the handler after the operation")
      return result
    }
    var item = try write("add") { try add(Self.full) }
    item = try write("update") {
      try update(item, secret: Secret([1]))
    }
    try write("remove") { try store.remove(item.id, expecting: item.revision) }
    withExtendedLifetime(observation) {}
  }

  private func expectHeard(_ listener: Listener, _ operation: String) async {
    let isHeard = await listener.hears(within: patience)
    expect(isHeard, "observeChanges, \(operation)", "a call of the handler")
  }
}

private final class Flag: Sendable {
  let isSet = Atomic(false)
}

/// An observer of a store that counts calls and can wait for them.
private final class Listener {
  private final class Counter: Sendable {
    let calls = Atomic(0)
  }

  private let counter = Counter()
  private let calls: AsyncStream<Void>
  private var observation: ChangeObservation?

  init(_ store: any SecretStore) {
    let (calls, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.calls = calls
    observation = store.observeChanges { [counter] in
      counter.calls.add(1, ordering: .sequentiallyConsistent)
      continuation.yield()
    }
  }

  var count: Int { counter.calls.load(ordering: .sequentiallyConsistent) }

  func release() {
    observation = nil
  }

  /// Waits for a call since the last wait.
  func hears(within patience: Duration) async -> Bool {
    await withTaskGroup(of: Bool.self) { [calls] group in
      group.addTask {
        for await _ in calls { return true }
        return false
      }
      group.addTask {
        // The task is cancelled as soon as the call arrives.
        do { try await Task.sleep(for: patience) } catch {}
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
  }
}
