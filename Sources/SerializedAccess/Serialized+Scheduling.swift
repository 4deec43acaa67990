import Concurrency
import Dispatch

extension Serialized {
  /// Puts an access at the end of those that are scheduled, and sees to it that it is run.
  func schedule(_ access: ScheduledAccess<Value>) where Value: Sendable {
    recoverAfterFork()
    let isFirst = unsafe scheduled.add(access)
    if exclusion.isInForkedChild {
      // Inside an access, that access runs it at its end.
      if exclusion.enter() { leaveInTime() }
    } else if callersQueue != nil {
      // One work item for each access, so that it keeps its place among the caller's own.
      queue.async { [self] in
        enter()
        if let access = unsafe scheduled.takeOldest(ofFirst: .max) { run(access) }
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
      // Threads that wait for the queue come before the rest.
      if !isDrained { drainOnQueue() }
    }
  }

  /// Runs what was scheduled before an access; the exclusion must be held.
  ///
  /// A thread that waits does this in place of the queue. Waiting for the queue would come to the
  /// same order, but in a work item of a caller's queue it would wait for itself. What is scheduled
  /// later stays with the queue, so that no access is held up for ever.
  @inline(__always)
  func runScheduled(before place: Place) {
    if place.scheduledBefore > 0 { runScheduled(ofFirst: place.scheduledBefore) }
  }

  private func runScheduled(ofFirst count: Int) {
    let generation = Fork.generation
    // An access may fork: the rest is the parent's.
    while Fork.generation == generation, let access = unsafe scheduled.takeOldest(ofFirst: count) {
      run(access)
    }
  }

  private func run(_ access: ScheduledAccess<Value>) {
    if access.begin?() ?? true { mutate(access.body) }
  }

  /// Runs all that is scheduled; the exclusion must be held.
  func drainInForkedChild() {
    while unsafe !scheduled.endDraining() { runScheduled(ofFirst: .max) }
  }
}
