import Concurrency
import Dispatch
import Synchronization

/// Calls a closure that may block on a thread of Dispatch, without blocking the thread of the task.
///
/// The closure can check ``TaskCancellation/isRequested``; `onCancel` is called at cancellation.
func withoutBlocking<Success: Sendable>(
  on queue: DispatchQueue = .global(), onCancel: @escaping @Sendable () -> Void = {},
  _ work: @escaping @Sendable () throws(SecretStoreError) -> Success
) async throws(SecretStoreError) -> Success {
  // A forked child has no threads of Dispatch, and therefore no other tasks to block.
  if Fork.isChild { return try work() }
  let cancellation = TaskCancellation()
  let result: Result<Success, SecretStoreError> = await withTaskCancellationHandler {
    await withCheckedContinuation { continuation in
      queue.async {
        continuation.resume(
          returning: TaskCancellation.$current.withValue(cancellation) { Result(catching: work) })
      }
    }
  } onCancel: {
    cancellation.wasRequested.store(true, ordering: .relaxed)
    onCancel()
  }
  return try result.get()
}

/// The cancellation of a task, for a closure that runs on another thread on behalf of the task.
final class TaskCancellation: Sendable {
  @TaskLocal fileprivate static var current: TaskCancellation?

  fileprivate let wasRequested = Atomic(false)

  /// Whether the task that runs on this thread, or waits for its closure, is cancelled.
  static var isRequested: Bool {
    Task.isCancelled || current?.wasRequested.load(ordering: .relaxed) ?? false
  }
}
