import Dispatch

extension Serialized {
  /// Begins an access that needs nothing but the exclusion, if that is free; returns false for any
  /// other.
  @inline(__always)
  func enterDirectly() -> Bool {
    // What this thread scheduled is known already. Asked before the exclusion is held, which keeps
    // others out the shorter.
    exclusion.isDirect && exclusion.tryEnter()
  }

  /// As `enterDirectly()`, for an assignment that has no observers.
  @usableFromInline
  func enterToAssign() -> Bool {
    guard enterDirectly() else { return false }
    if !exclusion.isObserved { return true }
    exclusion.leave()
    return false
  }

  /// Runs an access in its place in the order, on the caller's queue if there is one.
  func inOrder<Output, Failure: Error>(
    _ work: () throws(Failure) -> Output
  ) throws(Failure) -> Output {
    var place = Place()
    if enterInTime(&place) {
      defer { leaveInTime() }
      runScheduled(before: place)
      return try work()
    }
    return try queue.run { () throws(Failure) in
      exclusion.enterFromQueue(place)
      defer { exclusion.leave() }
      runScheduled(before: place)
      return try work()
    }
  }

  /// Begins an access that need not go through the queue; returns false for any other.
  ///
  /// It need not if it gets the exclusion before its deadline, while no other access is starving.
  /// Ends the process when this thread is inside an access already.
  func enterInTime(_ place: inout Place) -> Bool {
    recoverAfterFork()
    if exclusion.hasScheduled { place.scheduledBefore = unsafe scheduled.count }
    if exclusion.isInForkedChild || callersQueue?.isCurrent == true {
      enter()
      return true
    }
    if callersQueue != nil || exclusion.hasStarving {
      // Before the queue is asked: waiting for it from inside an access would end the process
      // without a message.
      if exclusion.isHeldByThisThread { refuseAccessInsideAccess() }
      if callersQueue == nil { place.deadline = Deadline() }
      return false
    }
    if exclusion.tryEnter() { return true }
    let deadline = Deadline()
    place.deadline = deadline
    switch exclusion.enter(until: deadline) {
    case .entered: return true
    case .inside: refuseAccessInsideAccess()
    case .timedOut:
      place.isStarving = true
      exclusion.addDetour(Exclusion.Detour.starving)
      return false
    }
  }

  /// Ends an access that did not go through the queue.
  func leaveInTime() {
    // No queue runs there what was scheduled during the access.
    if exclusion.isInForkedChild { drainInForkedChild() }
    exclusion.leave()
  }

  /// Runs one change while the exclusion is held, and tells the observers.
  func mutate<Output, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Output
  ) throws(Failure) -> Output {
    let before = snapshotForObservers()
    // Also when the change throws: it may have been made in part.
    defer { if let before { notifyObservers(since: before.value) } }
    // Only the holder of the exclusion touches the storage.
    return unsafe try body(&storage.pointee)
  }

  /// Puts a new value in, and releases the old one when the access has ended.
  @usableFromInline @inline(never)
  func replaceInOrder(with newValue: Value) {
    _ = inOrder {
      // Only the holder of the exclusion touches the storage.
      let replaced = unsafe storage.move()
      unsafe storage.initialize(to: newValue)
      if exclusion.isObserved { notifyObservers(since: replaced) }
      return replaced
    }
  }

  /// Waits for the exclusion, or ends the process when this thread holds it already.
  func enter() {
    if !exclusion.enter() { refuseAccessInsideAccess() }
  }

  /// Ends the exclusion, or the process when another thread holds it.
  @inline(__always)
  func leave() {
    if !exclusion.leave() { refuseAccessAcrossThreads() }
  }

  @inline(never)
  private func refuseAccessInsideAccess() -> Never {
    fatalError(
      """
      The Serialized value of type \(Value.self) on the queue "\(queue.label)" was accessed from \
      inside an access to it, which could never get its turn. Use the value that the closure or \
      the observer is given.
      """)
  }

  @inline(never)
  private func refuseAccessAcrossThreads() -> Never {
    fatalError(
      """
      An access to the Serialized value of type \(Value.self) on the queue "\(queue.label)" ended \
      on another thread than it began on, because it waited for an `async` method of the value. \
      Take a copy, call the method on it, and write it back.
      """)
  }
}

/// The place of an access in the order of all.
struct Place {
  /// The number of accesses that were scheduled before.
  var scheduledBefore = 0
  /// The time from which it counts as starving; nil if it had not to wait until now, or if a queue
  /// of the caller's gives the order.
  var deadline: Deadline?
  /// Whether it counts as starving already.
  var isStarving = false
}
