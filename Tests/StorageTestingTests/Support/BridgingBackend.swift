import Concurrency
import Dispatch
import KeyValueStorage

/// A conforming backend whose methods wait for a task, as with an asynchronous client.
final class BridgingBackend: KeyValueBackend {
  let format = KeyValueFormat.json
  let name = "a client"
  private let client: NonconformingBackend
  /// The number of calls that would have blocked a task's thread.
  private let callsOfTasks: Lock<Int>

  /// Creates a backend on new storage, which counts calls together with other backends.
  init(countingCallsIn calls: Lock<Int>) {
    client = NonconformingBackend(nil)
    callsOfTasks = calls
  }

  init(reopening other: BridgingBackend) {
    client = NonconformingBackend(reopening: other.client)
    callsOfTasks = other.callsOfTasks
  }

  /// Waits for a task, unless the task could not run because of that.
  private func awaitTask() {
    guard unsafe withUnsafeCurrentTask(body: { unsafe $0 == nil }) else {
      return callsOfTasks.withLock { $0 += 1 }
    }
    let done = DispatchSemaphore(value: 0)
    Task.detached { done.signal() }
    done.wait()
  }

  func load() throws(KeyValueStoreError) -> KeyValueContents {
    awaitTask()
    return try client.load()
  }

  func hasChanged(since revision: Int64) throws(KeyValueStoreError) -> Bool {
    awaitTask()
    return try client.hasChanged(since: revision)
  }

  func update(
    _ changes: (KeyValueContents) -> KeyValueChanges
  ) throws(KeyValueStoreError) -> KeyValueContents {
    awaitTask()
    // The contents of a first attempt may be outdated, and invalid.
    _ = changes(KeyValueContents([("sum", ArraySlice("\"x\"".utf8))], revision: 0))
    return try client.update(changes)
  }

  func observe(_ handler: @escaping @Sendable () -> Void) -> KeyValueObservation {
    awaitTask()
    let observation = Lock<KeyValueObservation?>(client.observe(handler))
    return KeyValueObservation {
      self.awaitTask()
      observation.withLock { $0 = nil }
    }
  }

  func moveAside() throws(KeyValueStoreError) -> String? {
    awaitTask()
    return try client.moveAside()
  }
}
