import SecretStorage
import Synchronization

/// An observer of a store that counts its notifications and can wait for them.
final class CountingObserver {
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

  /// The number of notifications received.
  var count: Int { counter.calls.load(ordering: .sequentiallyConsistent) }

  /// Stops observing the store.
  func stop() {
    observation = nil
  }

  /// Waits for a notification since the last wait; returns false on timeout.
  func isNotified(within timeout: Duration) async -> Bool {
    await withTaskGroup(of: Bool.self) { [calls] group in
      group.addTask {
        for await _ in calls { return true }
        return false
      }
      group.addTask {
        // The sleep is cancelled when a notification arrives.
        try? await Task.sleep(for: timeout)
        return false
      }
      defer { group.cancelAll() }
      return await group.next() ?? false
    }
  }
}
