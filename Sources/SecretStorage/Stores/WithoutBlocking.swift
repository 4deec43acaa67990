import Dispatch
import Synchronization

/// Runs a blocking closure on a Dispatch thread, so that it does not block the task's thread.
///
/// The closure can check ``TaskCancellation/isRequested``. If the task is cancelled, `onCancel` is
/// called.
func withoutBlocking<Success: Sendable>(
  on queue: DispatchQueue = .global(), onCancel: @escaping @Sendable () -> Void = {},
  _ work: @escaping @Sendable () throws(SecretStoreError) -> Success
) async throws(SecretStoreError) -> Success {
  // A forked child has none of Dispatch's threads.
  try SecretStoreError.checkProcess()
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

/// The cancellation state of a task whose closure runs on another thread.
final class TaskCancellation: Sendable {
  @TaskLocal fileprivate static var current: TaskCancellation?

  fileprivate let wasRequested = Atomic(false)

  /// Whether the current task, or the task that waits for the current closure, is cancelled.
  static var isRequested: Bool {
    Task.isCancelled || current?.wasRequested.load(ordering: .relaxed) ?? false
  }
}
