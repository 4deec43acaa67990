/// A thread on which tasks run blocking code, so that they do not block Swift's cooperative pool.
///
/// The closures run one at a time, in the order of the calls. They are part of the calling task, so
/// they see its task-local values and its cancellation. The thread ends when it is idle. For
/// independent closures that may run concurrently, or that the task's cancellation must interrupt,
/// use `runBlocking(on:onCancel:_:)` instead.
package actor BlockingThread {
  /// An executor that runs jobs on a `SerialThread`.
  private final class Executor: SerialExecutor {
    private let thread = SerialThread()

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      let run: @Sendable () -> Void = { [self] in
        // The closure retains the executor.
        unsafe job.runSynchronously(on: asUnownedSerialExecutor())
      }
      // If no thread can be created, the job blocks the current thread instead of never running.
      if thread.run(after: .zero, run) == nil { run() }
    }
  }

  private nonisolated let executor = Executor()

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    // The actor retains the executor.
    unsafe executor.asUnownedSerialExecutor()
  }

  package init() {}

  /// Runs a closure after those of all earlier calls, and waits for it.
  ///
  /// If no thread can be created, closures may run concurrently.
  package nonisolated func run<Success: Sendable, Failure: Error>(
    _ work: @Sendable () throws(Failure) -> Success
  ) async throws(Failure) -> Success {
    // A forked child has no thread that could resume the task.
    if Fork.isChild { return try work() }
    return try await perform(work)
  }

  private func perform<Success: Sendable, Failure: Error>(
    _ work: @Sendable () throws(Failure) -> Success
  ) throws(Failure) -> Success { try work() }
}
