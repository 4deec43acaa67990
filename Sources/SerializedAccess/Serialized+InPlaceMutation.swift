import Concurrency
import Dispatch

// The beginning and the end of a change in place.

/// The state of an in-place change that requires more than a call of `leave()` to end.
///
/// A class, because an accessor that stores a value of unknown size across its `yield` always
/// allocates memory; not generic, because looking up metadata would take longer than all the rest.
final class InPlaceMutation {
  /// What prevents other work on the queue during the change.
  enum QueueState {
    /// Nothing, because the change did not go through the queue.
    case running
    /// `DispatchQueue.suspend()`.
    case suspended
    /// A work item that waits for the end of the change.
    case waiting(QueueSuspension)
  }

  /// A snapshot of the old value for the observers; nil if there are none.
  let before: AnyObject?
  let queueState: QueueState

  init(before: AnyObject?, _ queueState: QueueState = .running) {
    self.before = before
    self.queueState = queueState
  }
}

extension Serialized {
  /// Begins an in-place change; returns nil if `leave()` is sufficient to end it.
  @inline(__always)
  func beginMutation() -> InPlaceMutation? {
    if enterFastPath() {
      return lock.isObserved ? InPlaceMutation(before: snapshotForObservers()) : nil
    }
    return beginMutationInOrder()
  }

  @inline(never)
  private func beginMutationInOrder() -> InPlaceMutation? {
    var position = AccessPosition()
    if enterWithoutQueue(&position) {
      runScheduled(before: position)
      return lock.isObserved ? InPlaceMutation(before: snapshotForObservers()) : nil
    }
    if let customQueue { return beginMutation(on: customQueue, position) }
    // An accessor cannot yield inside `sync`.
    queue.sync { queue.suspend() }
    lock.enterFromQueue(position)
    runScheduled(before: position)
    return InPlaceMutation(before: snapshotForObservers(), .suspended)
  }

  private func beginMutation(
    on customQueue: CustomQueue, _ position: AccessPosition
  ) -> InPlaceMutation {
    if customQueue.canBeSuspended {
      queue.sync {
        // Scheduled accesses must run on the queue.
        if position.scheduledBefore > 0 { runScheduledFirst(before: position) }
        queue.suspend()
      }
      enter()
      if !lock.isObserved { return InPlaceMutation(before: nil, .suspended) }
      lock.leave()
      queue.resume()
    }
    // Observers must run on the queue, before its other work.
    let suspension = QueueSuspension(on: queue) { [self] in runScheduledFirst(before: position) }
    enter()
    return InPlaceMutation(before: snapshotForObservers(), .waiting(suspension))
  }

  private func runScheduledFirst(before position: AccessPosition) {
    enter()
    runScheduled(before: position)
    lock.leave()
  }

  /// Ends an in-place change and notifies the observers, on the custom queue if there is one.
  func endMutation(_ mutation: InPlaceMutation) {
    // A child that was forked during the change must not use the queue.
    lock.trapInForkedChild()
    if case .waiting(let suspension) = mutation.queueState {
      leave()
      suspension.end { [self] in
        enter()
        notifyObservers(of: mutation)
        lock.leave()
      }
      return
    }
    notifyObservers(of: mutation)
    leave()
    if case .suspended = mutation.queueState { queue.resume() }
  }

  private func notifyObservers(of mutation: InPlaceMutation) {
    guard let before = mutation.before as? Box<Value> else { return }
    notifyObservers(since: before.value)
  }
}

/// A work item that suspends a queue while another thread changes a value in place.
///
/// An accessor cannot yield inside `sync`.
final class QueueSuspension: @unchecked Sendable {
  // `@unchecked`: the other thread waits while `preparation` and `completion` run. `completion` is
  // written before `ended` is signaled, and read after.
  private let preparation: () -> Void
  private var completion: () -> Void = {}
  private let ended = DispatchSemaphore(value: 0)
  private let completed = DispatchSemaphore(value: 0)

  /// Enqueues the work item, and waits until the queue has run `preparation`.
  init(on queue: DispatchQueue, preparation: @escaping () -> Void) {
    self.preparation = preparation
    let begun = DispatchSemaphore(value: 0)
    queue.async { [self] in
      self.preparation()
      begun.signal()
      ended.wait()
      completion()
      completed.signal()
    }
    begun.wait()
  }

  /// Resumes the queue, and waits until it has run `completion`.
  func end(completion: @escaping () -> Void) {
    self.completion = completion
    ended.signal()
    completed.wait()
    self.completion = {}
  }
}
