import Dispatch

extension Serialized {
  /// Begins an access that needs nothing but the exclusion; returns false when it needs more.
  ///
  /// Ends the process when this thread is inside an access already.
  @inline(__always)
  func enterDirectly() -> Bool {
    // What this thread scheduled is known already. Asked before the exclusion is held, which keeps
    // others out the shorter.
    if exclusion.hasDetour { return false }
    enter()
    return true
  }

  /// As `enterDirectly()`, for an assignment that nobody observes.
  @usableFromInline
  func enterToAssign() -> Bool {
    guard enterDirectly() else { return false }
    if !exclusion.isObserved { return true }
    exclusion.leave()
    return false
  }

  /// Runs an access after everything that was scheduled before, on the caller's queue if there is
  /// one.
  func inOrder<Output, Failure: Error>(
    _ work: () throws(Failure) -> Output
  ) throws(Failure) -> Output {
    guard let callersQueue else { return try afterScheduled(work) }
    // Before the queue is asked: waiting for it from inside an access would end the process
    // without a word.
    enter()
    exclusion.leave()
    return try callersQueue.run { () throws(Failure) in try afterScheduled(work) }
  }

  /// Begins a change in place; returns nil if its end is to do no more than `leave()`.
  @inline(__always)
  func beginMutation() -> MutationInPlace<Value>? {
    if enterDirectly() {
      return exclusion.isObserved ? MutationInPlace(before: snapshotForObservers()) : nil
    }
    return beginMutationInOrder()
  }

  @inline(never)
  private func beginMutationInOrder() -> MutationInPlace<Value> {
    // As in `inOrder`.
    enter()
    guard let callersQueue, !callersQueue.isCurrent else {
      runScheduled()
      return MutationInPlace(before: snapshotForObservers())
    }
    exclusion.leave()
    let turn = QueueTurn(on: callersQueue.queue) { [self] in afterScheduled {} }
    enter()
    return MutationInPlace(before: snapshotForObservers(), turn: turn)
  }

  /// Ends a change in place and tells the observers, on the caller's queue if there is one.
  func endMutation(_ mutation: MutationInPlace<Value>) {
    guard let turn = mutation.turn else {
      if let before = mutation.before { notifyObservers(since: before.value) }
      leave()
      return
    }
    leave()
    turn.end { [self] in
      guard let before = mutation.before else { return }
      enter()
      notifyObservers(since: before.value)
      leave()
    }
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

  /// Puts a new value in, and releases what was there when the access has ended.
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

  /// Runs the oldest access that is scheduled, if there is one; the exclusion must be held.
  func runOldest() {
    guard let access = scheduled.takeOldest() else { return }
    if access.begin?() ?? true { mutate(access.body) }
  }

  /// Runs what is scheduled at this moment, and returns how many accesses it was; the exclusion
  /// must be held.
  ///
  /// A thread that waits does this in place of the queue. Waiting for the queue would come to the
  /// same order, but in a work item of a caller's queue it would wait for itself. What is scheduled
  /// later stays with the queue, so that no access is held up for ever.
  @discardableResult
  func runScheduled() -> Int {
    let count = scheduled.lineUp()
    for _ in 0..<count { runOldest() }
    return count
  }

  /// Waits for the exclusion, or ends the process when this thread holds it already.
  @inline(__always)
  func enter() {
    if !exclusion.enter() { refuseAccessInsideAccess() }
  }

  /// Ends the exclusion, or the process when it isn't this thread's.
  @inline(__always)
  func leave() {
    if !exclusion.leave() { refuseAccessAcrossThreads() }
  }

  private func afterScheduled<Output, Failure: Error>(
    _ work: () throws(Failure) -> Output
  ) throws(Failure) -> Output {
    enter()
    defer { exclusion.leave() }
    runScheduled()
    return try work()
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
