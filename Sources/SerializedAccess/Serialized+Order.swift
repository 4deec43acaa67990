import Concurrency
import Dispatch

// The order of accesses: the lock, the queue behind it, and traps on misuse.
extension Serialized {
  /// Begins an access and returns true if it only has to lock, and the lock is free.
  @inlinable @inline(__always)
  func enterFastPath() -> Bool {
    // The state is checked before locking, so that the lock is held for a shorter time.
    lock.allowsFastPath && lock.tryEnter()
  }

  /// Begins a change without observers, under the same conditions as `enterFastPath()`.
  @inlinable @inline(__always)
  func enterUnobserved() -> Bool {
    guard enterFastPath() else { return false }
    if !lock.isObserved { return true }
    _ = lock.leaveSlowly()
    return false
  }

  /// Performs an access in the order of all accesses, through the queue if necessary.
  ///
  /// This function is compiled for the types of its callers: looking up the types would take longer
  /// than all the rest.
  @inlinable @inline(never)
  func performInOrder<Output, Failure: Error>(
    _ work: () throws(Failure) -> Output
  ) throws(Failure) -> Output {
    var outcome: Result<Output, Failure>?
    runInOrder { outcome = Result(catching: work) }
    guard let outcome else { fatalError("The access did not run.") }
    return try outcome.get()
  }

  @usableFromInline
  func runInOrder(_ work: () -> Void) {
    var position = AccessPosition()
    if enterWithoutQueue(&position) {
      defer { lock.leave() }
      runScheduled(before: position)
      return work()
    }
    queue.sync {
      lock.enterFromQueue(position)
      defer { lock.leave() }
      runScheduled(before: position)
      work()
    }
  }

  /// Begins an access without the queue; returns false if the access must go through the queue.
  ///
  /// The queue is unnecessary if the lock becomes free by the deadline and no access is starving.
  func enterWithoutQueue(_ position: inout AccessPosition) -> Bool {
    lock.trapInForkedChild()
    if lock.hasScheduled { position.scheduledBefore = scheduled.count }
    if customQueue?.isCurrent == true {
      enter()
      return true
    }
    if customQueue != nil || lock.hasStarving {
      // Nesting is checked first: a wait for the queue in an access would trap without a message.
      if lock.isHeldByCurrentThread { trapOnNestedAccess() }
      if customQueue == nil { position.deadline = Deadline() }
      return false
    }
    if lock.tryEnter() { return true }
    let deadline = Deadline()
    position.deadline = deadline
    switch lock.enter(until: deadline) {
    case .entered: return true
    case .nested: trapOnNestedAccess()
    case .timedOut:
      position.isStarving = true
      lock.addSlowPathReason(AccessLock.SlowPath.starving)
      return false
    }
  }

  /// Changes the value and notifies the observers; the access lock must be held.
  @inlinable
  func mutate<Output, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Output
  ) throws(Failure) -> Output {
    let before = lock.isObserved ? snapshotForObservers() : nil
    // Observers are also notified after an error, because the change may be partial.
    defer { if let before { notifyObservers(since: before) } }
    return unsafe try body(&storage.pointee)
  }

  /// Stores a new value, and releases the old value after the access.
  @usableFromInline @inline(never)
  func replaceInOrder(with newValue: Value) {
    _ = performInOrder {
      let replaced = unsafe storage.move()
      unsafe storage.initialize(to: newValue)
      if lock.isObserved { notifyObservers(since: replaced) }
      return replaced
    }
  }

  func enter() {
    if !lock.enter() { trapOnNestedAccess() }
  }

  @inline(never)
  private func trapOnNestedAccess() -> Never {
    fatalError(
      """
      The Serialized value of type \(Value.self) on the queue "\(queue.label)" was accessed from \
      inside an access to it, which would deadlock. Use the value that is passed to the closure or \
      the observer.
      """)
  }

  @usableFromInline @inline(never)
  func trapOnThreadChange() -> Never {
    fatalError(
      """
      An access to the Serialized value of type \(Value.self) on the queue "\(queue.label)" ended \
      on a different thread than it began on, because it awaited an `async` method of the value. \
      Copy the value, call the method on the copy, and assign the copy to the value.
      """)
  }
}

/// The position of an access in the order of all accesses.
struct AccessPosition {
  /// The number of accesses that had been scheduled when the access began.
  var scheduledBefore = 0
  /// The time after which the access is starving; nil before it waits, or with a custom queue.
  var deadline: Deadline?
  /// Whether the access already counts as starving.
  var isStarving = false
}
