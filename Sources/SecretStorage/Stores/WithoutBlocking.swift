import Concurrency
import Dispatch
import Synchronization

/// Runs work that may block on a thread of Dispatch, and waits for it without blocking the task's.
///
/// Cancelling the task reaches the work as ``TaskCancellation/isRequested``.
func withoutBlocking<Success: Sendable>(
  _ work: @escaping @Sendable () throws(SecretStoreError) -> Success
) async throws(SecretStoreError) -> Success {
  // A forked child has no Dispatch threads, and therefore no other tasks to block.
  if Fork.isChild { return try work() }
  let cancellation = TaskCancellation()
  let result: Result<Success, SecretStoreError> = await withTaskCancellationHandler {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(returning: cancellation.concerning { Result(catching: work) })
      }
    }
  } onCancel: {
    cancellation.request()
  }
  return try result.get()
}

/// The cancellation of a task, for the work that it has moved to another thread.
final class TaskCancellation: Sendable {
  @TaskLocal private static var current: TaskCancellation?

  private let wasRequested = Atomic(false)

  /// Whether the task that waits for the work on this thread, or that runs on it, is cancelled.
  static var isRequested: Bool {
    Task.isCancelled || current?.wasRequested.load(ordering: .relaxed) ?? false
  }

  fileprivate func request() {
    wasRequested.store(true, ordering: .relaxed)
  }

  fileprivate func concerning<Success>(_ work: () -> Success) -> Success {
    Self.$current.withValue(self, operation: work)
  }
}
