/// A queue that runs closures one at a time, on the threads of a pool.
package final class SerialQueue: Sendable {
  private let pool: ThreadPool

  package init(on pool: ThreadPool = .work) { self.pool = pool }

  /// Runs a closure after all closures that are due earlier.
  ///
  /// If the pool has no thread and none can be created, the closure stays in the queue until a
  /// later call for the same pool creates one.
  package func run(_ body: @escaping @Sendable () -> Void) {
    _ = pool.add(body, to: self, after: .zero, staysQueued: true)
  }

  /// Runs a closure after a delay; returns nil if it will never run, because no thread can be
  /// created and all threads of the pool seem to be blocked.
  package func run(
    after delay: Duration, _ body: @escaping @Sendable () -> Void
  ) -> ThreadPool.Job.ID? {
    pool.add(body, to: self, after: max(.zero, delay), staysQueued: false)
  }

  /// Cancels a closure that has not started.
  package func cancel(_ job: ThreadPool.Job.ID) { pool.cancel(job, of: self) }
}
