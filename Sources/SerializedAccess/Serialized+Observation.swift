import Concurrency
import Dispatch

extension Serialized where Value: Sendable {
  /// Calls a closure with the old and the new value after each change, until the result is
  /// released.
  ///
  /// The closure runs as a part of the access that made the change: on the thread of that access
  /// (on the caller's queue, if there is one), before any other access. So observers see all
  /// changes in their order, and other accesses wait while they run. Each assignment, change in
  /// place and
  /// `access { … }` counts as a change, even if the value is the same as before.
  ///
  /// While a value has observers, a change in place first takes a copy of the old value.
  ///
  /// - Parameter observer: What to do with the old and the new value. It must not access the value.
  /// - Returns: An object to keep for as long as the closure is to be called.
  public func observe(
    _ observer: @escaping @Sendable (_ old: Value, _ new: Value) -> Void
  ) -> SerializedObservation {
    let observer = SerializedObserver(notify: observer)
    changeObservers { observers in
      if observer.isAdded { return }
      observer.isAdded = true
      observers.append(observer)
    }
    return SerializedObservation { [weak self] in self?.remove(observer) }
  }

  /// The current value, and the value after each change from now on.
  ///
  /// Each use of this property is one access, and makes a sequence for one consumer. A slow
  /// consumer misses changes, but never the newest one. The sequence ends when the value itself is
  /// released, or the task of the consumer is cancelled; it does not keep the value alive.
  public var values: AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Value.self, bufferingPolicy: .bufferingNewest(1))
    let feed = SerializedFeed(continuation)
    let observer = SerializedObserver<Value> { _, new in feed.send(new) }
    // In one access, so that no change falls between the first element and the second.
    inOrder {
      // Only the holder of the exclusion touches the storage.
      continuation.yield(unsafe storage.pointee)
      changeObserversInside { $0.append(observer) }
    }
    // Weak, because the observer holds the feed, which holds the continuation.
    continuation.onTermination = { [weak self, weak observer] _ in
      if let observer { self?.remove(observer) }
    }
    return stream
  }

  private func remove(_ observer: SerializedObserver<Value>) {
    forgetParent()
    // No access will ever call the observer.
    if exclusion.wasHeldAtFork { return }
    // What the closure of the observer holds is released after the exclusion.
    changeObservers { observers in
      observer.isCancelled = true
      observers.removeAll { $0 === observer }
    }
  }

  /// Changes the list between two accesses, or inside the one that this thread is in.
  ///
  /// - Parameter change: What to do with the list; a second time it must do nothing.
  private func changeObservers(
    _ change: @escaping @Sendable (inout [SerializedObserver<Value>]) -> Void
  ) {
    recoverAfterFork()
    switch exclusion.enter(until: Deadline()) {
    case .inside: changeObserversInside(change)
    case .entered:
      changeObserversInside(change)
      exclusion.leave()
    case .timedOut: changeObserversInOrder(change)
    }
  }

  /// Changes the list at the next pause between two accesses, or when all that were asked for
  /// before are done.
  ///
  /// Does not wait for the queue alone: it may have work that waits for this thread.
  private func changeObserversInOrder(
    _ change: @escaping @Sendable (inout [SerializedObserver<Value>]) -> Void
  ) {
    let changed = DispatchSemaphore(value: 0)
    schedule(
      ScheduledAccess(
        begin: { [self] in
          changeObserversInside(change)
          changed.signal()
          return false
        },
        body: { _ in }))
    while changed.wait(timeout: .now() + .milliseconds(1)) == .timedOut {
      guard exclusion.tryEnter() else { continue }
      changeObserversInside(change)
      exclusion.leave()
      return
    }
  }
}

extension Serialized {
  /// The current value if observers must be told about a change of it; the exclusion must be held.
  func snapshotForObservers() -> Snapshot<Value>? {
    // Only the holder of the exclusion touches the storage.
    exclusion.isObserved ? Snapshot(unsafe storage.pointee) : nil
  }

  /// Tells the observers about a change; the exclusion must be held.
  func notifyObservers(since old: Value) {
    // Only the holder of the exclusion touches the storage.
    let new = unsafe storage.pointee
    // A copy of the list, since an observer may end observations, its own or others.
    for observer in observers where !observer.isCancelled {
      observer.notify(old, new)
    }
  }

  private func changeObserversInside(_ change: (inout [SerializedObserver<Value>]) -> Void) {
    change(&observers)
    exclusion.isObserved = !observers.isEmpty
  }
}

/// The end of an asynchronous sequence at which a value puts its changes in.
///
/// The sequence ends when this is released, together with the value.
private final class SerializedFeed<Value: Sendable>: Sendable {
  private let continuation: AsyncStream<Value>.Continuation
  // The task that iterates is the parent's: a forked child must not resume its copy.
  private let generation = Fork.generation

  init(_ continuation: AsyncStream<Value>.Continuation) {
    self.continuation = continuation
  }

  deinit {
    if Fork.generation == generation { continuation.finish() }
  }

  func send(_ value: Value) {
    if Fork.generation == generation { continuation.yield(value) }
  }
}
