import Concurrency
import Dispatch

extension Serialized {
  /// Changes the value in one access, and waits for it.
  ///
  /// ```swift
  /// let ticket = $tickets.access { tickets in tickets.popLast() }
  /// ```
  ///
  /// Waits for accesses in progress and for those scheduled earlier. Observers are notified even if
  /// the closure only reads or throws.
  ///
  /// - Parameter body: Uses or changes the value. It must not access the same value otherwise.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure; changes made before it remain.
  public func access<Output, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Output
  ) throws(Failure) -> Output {
    guard enterDirectly() else {
      return try inOrder { () throws(Failure) in try mutate(body) }
    }
    defer { exclusion.leave() }
    return try mutate(body)
  }
}

extension Serialized where Value: Sendable {
  /// Schedules a change of the value and returns at once.
  ///
  /// Changes happen in the order of scheduling. A later access that waits on the same thread sees
  /// this change.
  ///
  /// The closure runs on the queue, or on the thread of an access that would otherwise wait for it.
  /// With a caller's queue, it always runs on that queue.
  ///
  /// - Parameter body: Uses or changes the value. It must not access the same value otherwise.
  public func asyncAccess(_ body: @escaping @Sendable (inout Value) -> Void) {
    schedule { $0.mutate(body) }
  }

  /// Schedules the replacement of the value by one computed from it, and returns at once.
  ///
  /// Like ``asyncAccess(_:)``, for a function that returns the new value instead of changing it.
  ///
  /// - Parameter transform: Computes the new value. It must not access the same value otherwise.
  public func asyncAccess(transform: @escaping @Sendable (Value) -> Value) {
    asyncAccess { value in value = transform(value) }
  }
}

extension Serialized {
  /// Appends an access to the scheduled ones, and ensures that it runs.
  func schedule(_ access: @escaping ScheduledAccess<Value>) where Value: Sendable {
    recoverAfterFork()
    let isFirst = unsafe scheduled.add(access)
    if exclusion.isInForkedChild {
      // During an access `enter` fails, and that access runs this one at its end.
      if exclusion.enter() { leaveInTime() }
    } else if callersQueue != nil {
      // One work item per access, which keeps its place among the caller's own.
      queue.async { [self] in
        enter()
        if let access = unsafe scheduled.takeOldest(ofFirst: .max) { access(self) }
        _ = unsafe scheduled.endDraining()
        exclusion.leave()
      }
    } else if isFirst {
      drainOnQueue()
    }
  }

  private func drainOnQueue() where Value: Sendable {
    queue.async { [self] in
      exclusion.enterFromQueue(Place(deadline: Deadline()))
      unsafe runScheduled(ofFirst: scheduled.count)
      let isDrained = unsafe scheduled.endDraining()
      exclusion.leave()
      // The rest goes behind the threads that wait for the queue.
      if !isDrained { drainOnQueue() }
    }
  }

  /// Runs the accesses that were scheduled before `place`; the exclusion must be held.
  ///
  /// A waiting thread does this in place of the queue. Waiting for the queue would give the same
  /// order, but would deadlock in a work item of a caller's queue. Accesses scheduled later are
  /// left to the queue, so that no access is delayed indefinitely.
  @inline(__always)
  func runScheduled(before place: Place) {
    if place.scheduledBefore > 0 { runScheduled(ofFirst: place.scheduledBefore) }
  }

  private func runScheduled(ofFirst count: Int) {
    let generation = Fork.generation
    // An access may fork: the remaining accesses belong to the parent.
    while Fork.generation == generation, let access = unsafe scheduled.takeOldest(ofFirst: count) {
      access(self)
    }
  }

  /// Runs all scheduled accesses; the exclusion must be held.
  func drainInForkedChild() {
    while unsafe !scheduled.endDraining() { runScheduled(ofFirst: .max) }
  }
}

extension Serialized where Value: Sendable {
  /// Changes the value in one access, and suspends the task until it is done.
  ///
  /// The access is scheduled as by ``asyncAccess(_:)``, and the closure runs in the same places; no
  /// thread waits.
  ///
  /// - Parameter body: Uses or changes the value. It must not access the same value otherwise.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure, or `CancellationError` if the task is cancelled before the
  ///   closure begins, which then never runs. A closure that has begun runs to its end.
  public func access<Output>(
    _ body: @escaping @Sendable (inout Value) throws -> sending Output
  ) async throws -> sending Output {
    if exclusion.isInForkedChild {
      // No queue is guaranteed to run the access or to resume the task.
      try Task.checkCancellation()
      return try inOrder { try mutate(body) }
    }
    let access = SuspendedAccess<Output>()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard access.wait(with: continuation) else { return }
        schedule { serialized in
          guard let continuation = access.begin() else { return }
          serialized.mutate { value in
            do {
              continuation.resume(returning: try body(&value))
            } catch {
              continuation.resume(throwing: error)
            }
          }
        }
      }
    } onCancel: {
      access.cancel()
    }
  }
}
