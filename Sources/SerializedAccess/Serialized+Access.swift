import Concurrency
import Dispatch

// Accesses by closures: waiting, scheduled, and awaited by a task.
extension Serialized {
  /// Changes the value in one access, and waits for it.
  ///
  /// ```swift
  /// let ticket = $tickets.access { tickets in tickets.popLast() }
  /// ```
  ///
  /// The call waits for accesses in progress and for accesses that were scheduled earlier. If the
  /// closure throws an error, its changes are kept. Observers are notified in any case.
  @inlinable public func access<Output, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Output
  ) throws(Failure) -> Output {
    guard enterFastPath() else {
      return try performInOrder { () throws(Failure) in try mutate(body) }
    }
    defer { lock.leave() }
    return try mutate(body)
  }

  /// Runs the accesses that were scheduled before an access; the access lock must be held.
  ///
  /// Waiting for the queue could deadlock in a work item of a custom queue. The queue runs the
  /// accesses that were scheduled later, so that no access is delayed indefinitely.
  @inline(__always)
  func runScheduled(before position: AccessPosition) {
    if position.scheduledBefore > 0 { runScheduled(ofFirst: position.scheduledBefore) }
  }

  private func runScheduled(ofFirst count: Int) {
    while let access = scheduled.removeOldest(ofFirst: count) { access.perform(self) }
  }
}

extension Serialized where Value: Sendable {
  /// Schedules a change of the value and returns immediately.
  ///
  /// Changes happen in the order in which they were scheduled. If the same thread later waits for
  /// an access, that access sees this change.
  ///
  /// The closure runs on the private queue, or on the thread of an access that would otherwise wait
  /// for it. With a custom queue, it always runs on that queue.
  @inlinable public func asyncAccess(_ body: @escaping @Sendable (inout Value) -> Void) {
    add(ScheduledAccess { unsafe unsafeDowncast($0, to: Serialized.self).mutate(body) })
  }

  /// Schedules a change as ``asyncAccess(_:)`` does, with a function that returns the new value.
  @inlinable public func asyncAccess(transform: @escaping @Sendable (Value) -> Value) {
    asyncAccess { value in value = transform(value) }
  }

  /// Changes the value in one access, and suspends the task until it is done.
  ///
  /// The access is scheduled as with ``asyncAccess(_:)``, so no thread waits.
  ///
  /// - Throws: The error of the closure, or `CancellationError` if the task is cancelled before the
  ///   closure begins. In that case, it never runs.
  public func access<Output>(
    _ body: @escaping @Sendable (inout Value) throws -> sending Output
  ) async throws -> sending Output {
    let waiting = Lock<CheckedContinuation<Output, any Error>?>(nil)
    /// Resumes the task with an error, unless the access has begun.
    @Sendable func cancel() {
      waiting.withLock { $0.take() }?.resume(throwing: CancellationError())
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        waiting.withLock { $0 = continuation }
        // The cancellation handler may have run before the continuation was set.
        if Task.isCancelled { return cancel() }
        schedule { serialized in
          guard let continuation = waiting.withLock({ $0.take() }) else { return }
          serialized.mutate { value in continuation.resume(with: Result { try body(&value) }) }
        }
      }
    } onCancel: {
      cancel()
    }
  }

  /// Schedules an access, which the queue or a waiting access runs.
  @inlinable @inline(__always) func schedule(_ access: @escaping @Sendable (Serialized) -> Void) {
    add(ScheduledAccess { access(unsafe unsafeDowncast($0, to: Serialized.self)) })
  }

  @usableFromInline func add(_ access: ScheduledAccess) {
    let isFirst = scheduled.add(access)
    if customQueue != nil {
      // A separate work item for each access preserves the order among the work items of the app.
      queue.async { [self] in
        enter()
        if let access = scheduled.removeOldest(ofFirst: .max) { access.perform(self) }
        _ = scheduled.endDraining()
        lock.leave()
      }
    } else if isFirst {
      drainOnQueue()
    }
  }

  private func drainOnQueue() {
    queue.async { [self] in
      lock.enterFromQueue(AccessPosition(deadline: Deadline()))
      runScheduled(ofFirst: scheduled.count)
      let isDrained = scheduled.endDraining()
      lock.leave()
      // Threads that are waiting for the queue precede the remaining accesses.
      if !isDrained { drainOnQueue() }
    }
  }
}
