import Dispatch

/// A change in place that needs more at its end than `leave()`.
///
/// An object, because an accessor that keeps a value of unknown size across its `yield` allocates
/// memory even when there is none. Not generic, because finding the type would take longer than the
/// rest of it, and locks of Swift's runtime that a forked child may never get.
final class MutationInPlace {
  /// How the queue is kept from running other work during the change.
  enum Standstill {
    /// Not at all, since the change did not go through the queue.
    case none
    case suspended
    case turn(QueueTurn)
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
  /// Begins a change in place; returns nil if its end is to do no more than `leave()`.
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
        // On the queue, where scheduled accesses run.
        if place.scheduledBefore > 0 { runScheduledFirst(before: place) }
        queue.suspend()
      }
      enter()
      if !exclusion.isObserved { return MutationInPlace(before: nil, .suspended) }
      exclusion.leave()
      queue.resume()
    }
    // Observers run on the queue, before its other work.
    let turn = QueueTurn(on: queue) { [self] in runScheduledFirst(before: place) }
    enter()
    return MutationInPlace(before: snapshotForObservers(), .turn(turn))
  }

  private func runScheduledFirst(before place: Place) {
    enter()
    runScheduled(before: place)
    exclusion.leave()
  }

  /// Ends a change in place and tells the observers, on the caller's queue if there is one.
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
    // A forked child does not use the queues of its parent.
    if case .suspended = mutation.standstill, !isForked { queue.resume() }
  }

  private func notifyObservers(of mutation: MutationInPlace) {
    guard let before = mutation.before as? Snapshot<Value> else { return }
    notifyObservers(since: before.value)
  }
}
