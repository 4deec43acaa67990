import Dispatch

extension Serialized {
  /// Begins an access that needs only the exclusion, if that is free; otherwise returns false.
  @inline(__always)
  func enterDirectly() -> Bool {
    // This already covers accesses that this thread scheduled. It is checked before locking, which
    // shortens the time for which the exclusion is held.
    exclusion.isDirect && exclusion.tryEnter()
  }

  /// Begins an assignment without observers, under the same conditions as `enterDirectly()`.
  @usableFromInline
  func enterToAssign() -> Bool {
    guard enterDirectly() else { return false }
    if !exclusion.isObserved { return true }
    exclusion.leave()
    return false
  }

  /// Runs an access in order, on the caller's queue if there is one.
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

  /// Begins an access that need not go through the queue; otherwise returns false.
  ///
  /// The queue is unnecessary if the exclusion is free before the deadline and no other access is
  /// starving. Ends the process if this thread is already inside an access.
  func enterInTime(_ place: inout Place) -> Bool {
    recoverAfterFork()
    if exclusion.hasScheduled { place.scheduledBefore = unsafe scheduled.count }
    if exclusion.isInForkedChild || callersQueue?.isCurrent == true {
      enter()
      return true
    }
    if callersQueue != nil || exclusion.hasStarving {
      // Checked before the queue is used: waiting for the queue inside an access would end the
      // process without a message.
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
    // No queue runs the accesses that were scheduled there meanwhile.
    if exclusion.isInForkedChild { drainInForkedChild() }
    exclusion.leave()
  }

  /// Runs one change and notifies the observers; the exclusion must be held.
  func mutate<Output, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Output
  ) throws(Failure) -> Output {
    let before = snapshotForObservers()
    // Also after an error: part of the change may have been made.
    defer { if let before { notifyObservers(since: before.value) } }
    // Only the holder of the exclusion touches the storage.
    return unsafe try body(&storage.pointee)
  }

  /// Stores a new value, and releases the old one after the access.
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

  /// Waits for the exclusion, or ends the process if this thread already holds it.
  func enter() {
    if !exclusion.enter() { refuseAccessInsideAccess() }
  }

  /// Releases the exclusion, or ends the process if another thread holds it.
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

/// The place of an access in the order of all accesses.
struct Place {
  /// The number of accesses that were scheduled earlier.
  var scheduledBefore = 0
  /// The time after which the access counts as starving; nil if it has not waited yet, or if a
  /// caller's queue determines the order.
  var deadline: Deadline?
  /// Whether the access already counts as starving.
  var isStarving = false
}

extension Serialized {
  /// Makes the value usable in a forked child, at the first call there; ends the process if another
  /// thread was accessing the value at the fork.
  @inline(__always)
  func recoverAfterFork() {
    forgetParent()
    if exclusion.wasHeldAtFork { refuseAccessInForkedChild() }
  }

  /// Discards, at the first call in a forked child, the state of the parent's threads.
  func forgetParent() {
    exclusion.recoverAfterFork {
      // The scheduled accesses belong to the parent. The list is not released, because another
      // thread may have been changing it.
      _ = unsafe Unmanaged.passRetained(scheduled)
      unsafe scheduled = ScheduledAccesses(of: exclusion)
    }
  }

  @inline(never)
  private func refuseAccessInForkedChild() -> Never {
    fatalError(
      """
      The Serialized value of type \(Value.self) on the queue "\(queue.label)" was being accessed \
      when the process was forked, and may be half changed. Call exec in the child, or fork while no \
      thread accesses the value.
      """)
  }
}
