import Dispatch
import Synchronization

/// Runs a blocking closure, which can check ``Cancellation/isRequestedForTask``, on a Dispatch
/// thread, so that it does not block the task's thread.
func withoutBlocking<Success: Sendable>(
  on queue: DispatchQueue = .global(), onCancel: @escaping @Sendable () -> Void = {},
  _ work: @escaping @Sendable () throws(SecretStoreError) -> Success
) async throws(SecretStoreError) -> Success {
  // A forked child has none of Dispatch's threads.
  try SecretStoreError.checkProcess()
  let cancellation = Cancellation()
  let result: Result<Success, SecretStoreError> = await withTaskCancellationHandler {
    await withCheckedContinuation { continuation in
      queue.async {
        continuation.resume(
          returning: Cancellation.$ofTask.withValue(cancellation) { Result(catching: work) })
      }
    }
  } onCancel: {
    cancellation.request()
    onCancel()
  }
  return try result.get()
}

final class Cancellation: Sendable {
  /// The cancellation of the task that waits for the current closure.
  @TaskLocal fileprivate static var ofTask: Cancellation?

  private let wasRequested = Atomic(false)

  var isRequested: Bool { wasRequested.load(ordering: .acquiring) }

  func request() {
    wasRequested.store(true, ordering: .releasing)
  }

  /// Whether the current task, or the task that waits for the current closure, is cancelled.
  static var isRequestedForTask: Bool { Task.isCancelled || ofTask?.isRequested ?? false }
}
