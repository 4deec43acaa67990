import Concurrency
import Dispatch

// Beginning and ending an in-place change.

/// The state of an in-place change that requires more than a call of `leave()` to end.
///
/// The state is a class, because an accessor that stores a value of unknown size across its `yield`
/// always allocates. It is not generic: looking up metadata would take longer than all the rest.
@usableFromInline final class InPlaceMutation: @unchecked Sendable {
  // `@unchecked`: only the thread that makes the change uses the snapshot.

  /// The way in which other work on the queue is prevented during the change.
  enum Exclusion {
    /// The queue was suspended with `DispatchQueue.suspend()`.
    case suspended
    /// A work item on the queue waits for the end of the change.
    case waiting(QueueSuspension)
  }

  /// The state of all changes without observers that suspended the queue, which saves allocations.
  static let ofSuspendedQueue = InPlaceMutation(before: nil, .suspended)

  /// A snapshot of the old value for the observers; nil if there are none.
  let before: AnyObject?
  /// Nil if the change did not go through the queue.
  let exclusion: Exclusion?

  init(before: AnyObject?, _ exclusion: Exclusion?) {
    self.before = before
    self.exclusion = exclusion
  }
}

extension Serialized {
  /// Begins an in-place change, in the order of all accesses if necessary; returns nil if
  /// `leave()` is sufficient to end it.
  @usableFromInline
  func beginMutation() -> InPlaceMutation? {
    let exclusion = enterFastPath() ? nil : enterInOrder()
    if lock.isObserved { return InPlaceMutation(before: snapshotForObservers(), exclusion) }
    return switch exclusion {
    case nil: nil
    case .suspended: .ofSuspendedQueue
    case .waiting: InPlaceMutation(before: nil, exclusion)
    }
  }

  /// Begins an access in the order of all accesses; returns nil if the queue is not necessary.
  private func enterInOrder() -> InPlaceMutation.Exclusion? {
    var position = AccessPosition()
    if enterWithoutQueue(&position) {
      runScheduled(before: position)
      return nil
    }
    if let customQueue { return enter(from: customQueue, position) }
    // An accessor cannot yield inside `sync`.
    queue.sync { queue.suspend() }
    lock.enterFromQueue(position)
    runScheduled(before: position)
    return .suspended
  }

  private func enter(
    from customQueue: CustomQueue, _ position: AccessPosition
  ) -> InPlaceMutation.Exclusion {
    if customQueue.canBeSuspended {
      queue.sync {
        // Scheduled accesses must run on the queue.
        if position.scheduledBefore > 0 { runScheduledFirst(before: position) }
        queue.suspend()
      }
      enter()
      if !lock.isObserved { return .suspended }
      lock.leave()
      queue.resume()
    }
    // Observers must run on the queue, before its other work.
    let suspension = QueueSuspension(on: queue) { [self] in runScheduledFirst(before: position) }
    enter()
    return .waiting(suspension)
  }

  private func runScheduledFirst(before position: AccessPosition) {
    enter()
    runScheduled(before: position)
    lock.leave()
  }

  /// Ends an in-place change.
  @inlinable @inline(__always)
  func endMutation(_ mutation: InPlaceMutation?) {
    if let mutation { return end(mutation) }
    if !lock.leave() { trapOnThreadChange() }
  }

  /// Ends an in-place change and notifies the observers, on the custom queue if there is one.
  @usableFromInline
  func end(_ mutation: InPlaceMutation) {
    // A child that was forked during the change must not use the queue.
    lock.trapInForkedChild()
    if case .waiting(let suspension)? = mutation.exclusion {
      endMutation(nil)
      suspension.end { [self] in
        enter()
        notifyObservers(of: mutation)
        lock.leave()
      }
      return
    }
    notifyObservers(of: mutation)
    endMutation(nil)
    if case .suspended? = mutation.exclusion { queue.resume() }
  }

  private func notifyObservers(of mutation: InPlaceMutation) {
    if let before = mutation.before { notifyObservers(since: before) }
  }
}

/// A work item that suspends a queue while another thread changes a value in place.
final class QueueSuspension: @unchecked Sendable {
  // `@unchecked`: the other thread waits while the queue runs `work`, and changes it only before
  // the queue begins, between its two runs, and after the last one.
  private var work: () -> Void
  private let ended = DispatchSemaphore(value: 0)
  private let hasRun = DispatchSemaphore(value: 0)

  /// Enqueues the work item, and waits until the queue has run `preparation`.
  init(on queue: DispatchQueue, preparation: @escaping () -> Void) {
    work = preparation
    queue.async { [self] in
      work()
      hasRun.signal()
      ended.wait()
      work()
      hasRun.signal()
    }
    hasRun.wait()
  }

  /// Resumes the queue, and waits until it has run `completion`.
  func end(completion: @escaping () -> Void) {
    work = completion
    ended.signal()
    hasRun.wait()
    work = {}
  }
}
