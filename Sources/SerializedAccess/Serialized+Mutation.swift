import Dispatch

/// The state of an in-place change that needs more than `leave()` at its end.
///
/// An object, because an accessor that keeps a value of unknown size across its `yield` always
/// allocates memory. Not generic, because looking up the type would take longer than the rest and
/// needs locks of Swift's runtime, which may never be free in a forked child.
final class MutationInPlace {
  /// How the queue is prevented from running other work during the change.
  enum Standstill {
    /// No standstill, since the change did not go through the queue.
    case none
    case suspended
    case turn(QueueSuspension)
  }

  /// The snapshot for the observers.
  let before: AnyObject?
  let standstill: Standstill

  init(before: AnyObject?, _ standstill: Standstill = .none) {
    self.before = before
    self.standstill = standstill
  }
}

extension Serialized {
  /// Begins an in-place change; returns nil if `leave()` is enough to end it.
  @inline(__always)
  func beginMutation() -> MutationInPlace? {
    if enterDirectly() {
      return exclusion.isObserved ? MutationInPlace(before: snapshotForObservers()) : nil
    }
    return beginMutationInOrder()
  }

  @inline(never)
  private func beginMutationInOrder() -> MutationInPlace? {
    var place = Place()
    if enterInTime(&place) {
      runScheduled(before: place)
      let needsEnd = exclusion.isObserved || exclusion.isInForkedChild
      return needsEnd ? MutationInPlace(before: snapshotForObservers()) : nil
    }
    if let callersQueue { return beginMutation(on: callersQueue, place) }
    // An accessor cannot yield from inside `sync`.
    queue.sync { queue.suspend() }
    exclusion.enterFromQueue(place)
    runScheduled(before: place)
    return MutationInPlace(before: snapshotForObservers(), .suspended)
  }

  private func beginMutation(
    on callersQueue: CallersQueue, _ place: Place
  ) -> MutationInPlace {
    if callersQueue.canBeSuspended {
      queue.sync {
        // Scheduled accesses must run on the queue.
        if place.scheduledBefore > 0 { runScheduledFirst(before: place) }
        queue.suspend()
      }
      enter()
      if !exclusion.isObserved { return MutationInPlace(before: nil, .suspended) }
      exclusion.leave()
      queue.resume()
    }
    // Observers run on the queue, before its other work.
    let turn = QueueSuspension(on: queue) { [self] in runScheduledFirst(before: place) }
    enter()
    return MutationInPlace(before: snapshotForObservers(), .turn(turn))
  }

  private func runScheduledFirst(before place: Place) {
    enter()
    runScheduled(before: place)
    exclusion.leave()
  }

  /// Ends an in-place change and notifies the observers, on the caller's queue if there is one.
  func endMutation(_ mutation: MutationInPlace) {
    let isForked = exclusion.isInForkedChild
    if case .turn(let turn) = mutation.standstill, !isForked {
      leave()
      turn.end { [self] in
        enter()
        notifyObservers(of: mutation)
        exclusion.leave()
      }
      return
    }
    notifyObservers(of: mutation)
    if isForked { drainInForkedChild() }
    leave()
    // A forked child does not use its parent's queues.
    if case .suspended = mutation.standstill, !isForked { queue.resume() }
  }

  private func notifyObservers(of mutation: MutationInPlace) {
    guard let before = mutation.before as? Snapshot<Value> else { return }
    notifyObservers(since: before.value)
  }
}
