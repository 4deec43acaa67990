extension Serialized where Value: Sendable {
  /// Calls a closure with the old and the new value after each change, until the result is released.
  ///
  /// The closure runs as a part of the access that made the change: on the thread of that access (on
  /// the caller's queue, if there is one), before any other access. So observers see all changes in
  /// their order, and keep everybody waiting while they run. Each assignment, change in place and
  /// `access { … }` counts as a change, even if the value is the same as before.
  ///
  /// While somebody observes, a change in place first takes a copy of the old value.
  ///
  /// - Parameter observer: What to do with the old and the new value. It must not access the value.
  /// - Returns: An object to keep for as long as the closure is to be called.
  public func observe(
    _ observer: @escaping @Sendable (_ old: Value, _ new: Value) -> Void
  ) -> SerializedObservation {
    let observer = SerializedObserver(notify: observer)
    withObservers { $0.append(observer) }
    return SerializedObservation { [weak self] in self?.remove(observer) }
  }

  /// The value as it is now, and after each change from now on.
  ///
  /// Each use of this property is one access, and makes a sequence for one consumer. A slow consumer
  /// misses changes, but never the newest one. The sequence ends when the value itself is released,
  /// or the task of the consumer is cancelled; it does not keep the value alive.
  public var values: AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Value.self, bufferingPolicy: .bufferingNewest(1))
    let feed = SerializedFeed(continuation)
    let observer = SerializedObserver<Value> { _, new in feed.send(new) }
    // In one access, so that no change falls between the first element and the second.
    inOrder {
      // Only the holder of the exclusion touches the storage.
      continuation.yield(unsafe storage.pointee)
      withObservers { $0.append(observer) }
    }
    // Weak, because the observer holds the feed, which holds the continuation.
    continuation.onTermination = { [weak self, weak observer] _ in
      if let observer { self?.remove(observer) }
    }
    return stream
  }

  private func remove(_ observer: SerializedObserver<Value>) {
    // What the closure of the observer holds is released after the exclusion.
    withObservers { observers in
      observer.isCancelled = true
      observers.removeAll { $0 === observer }
    }
  }
}

extension Serialized {
  /// The value of now if somebody must be told about a change of it; the exclusion must be held.
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

  private func withObservers(_ body: (inout [SerializedObserver<Value>]) -> Void) {
    // False means that this thread is inside an access, and holds the exclusion by that.
    let hasEntered = exclusion.enter()
    body(&observers)
    exclusion.isObserved = !observers.isEmpty
    if hasEntered { exclusion.leave() }
  }
}

/// What hands the changes of a value to an asynchronous sequence, and ends the sequence when the
/// last holder, the value, lets go of it.
private final class SerializedFeed<Value: Sendable>: Sendable {
  private let continuation: AsyncStream<Value>.Continuation

  init(_ continuation: AsyncStream<Value>.Continuation) {
    self.continuation = continuation
  }

  deinit {
    continuation.finish()
  }

  func send(_ value: Value) {
    continuation.yield(value)
  }
}
