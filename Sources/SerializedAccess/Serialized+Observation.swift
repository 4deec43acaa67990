import Concurrency
import Dispatch

extension Serialized where Value: Sendable {
  /// Calls a closure with the old and the new value after each change, until the result is
  /// released.
  ///
  /// The closure runs as part of the access that made the change: on the thread of that access (on
  /// the caller's queue, if there is one), before any other access. Observers therefore see all
  /// changes in order, and other accesses wait while they run. Each assignment, in-place change and
  /// `access { … }` counts as a change, even if the value remains the same.
  ///
  /// While a value has observers, an in-place change first copies the old value.
  ///
  /// - Parameter observer: Receives the old and the new value. It must not access the value.
  /// - Returns: The observation, to be kept for as long as the closure is to be called.
  public func observe(
    _ observer: @escaping @Sendable (_ old: Value, _ new: Value) -> Void
  ) -> SerializedObservation {
    let observer = Observer(ChangeHandler(call: observer))
    changeObservers { $0.add(observer) }
    return SerializedObservation(end: observer.end { [weak self] in self?.remove($0) })
  }

  /// The current value, and the value after each change from now on.
  ///
  /// Each use of this property is one access and creates a sequence for one consumer. A slow
  /// consumer misses changes, but never the newest one. The sequence ends when the value is
  /// released or the consumer's task is cancelled; it does not keep the value alive.
  public var values: AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Value.self, bufferingPolicy: .bufferingNewest(1))
    let feed = SerializedFeed(continuation)
    let observer = Observer(ChangeHandler<Value> { _, new in feed.send(new) })
    // In one access, so that no change is lost between the first element and the second.
    inOrder {
      // Only the holder of the exclusion touches the storage.
      continuation.yield(unsafe storage.pointee)
      changeObserversInside { $0.add(observer) }
    }
    let end = observer.end { [weak self] in self?.remove($0) }
    continuation.onTermination = { _ in end() }
    return stream
  }

  private func remove(_ observer: Observer<ChangeHandler<Value>>) {
    forgetParent()
    // No access can call the observer any more.
    if exclusion.wasHeldAtFork { return }
    changeObservers { $0.remove(observer) }
  }

  /// Changes the list between two accesses, or inside the current one of this thread.
  ///
  /// - Parameter change: Changes the list; a second call must do nothing.
  private func changeObservers(
    _ change: @escaping @Sendable (inout Observers<ChangeHandler<Value>>) -> Void
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

  /// Changes the list between two accesses, or after all accesses that were requested earlier.
  ///
  /// Does not wait for the queue alone: its work may wait for this thread.
  private func changeObserversInOrder(
    _ change: @escaping @Sendable (inout Observers<ChangeHandler<Value>>) -> Void
  ) {
    let changed = DispatchSemaphore(value: 0)
    schedule { serialized in
      serialized.changeObserversInside(change)
      changed.signal()
    }
    while changed.wait(timeout: .now() + .milliseconds(1)) == .timedOut {
      guard exclusion.tryEnter() else { continue }
      changeObserversInside(change)
      exclusion.leave()
      return
    }
  }
}

extension Serialized {
  /// Returns the value if observers must be notified of a change; the exclusion must be held.
  func snapshotForObservers() -> Snapshot<Value>? {
    // Only the holder of the exclusion touches the storage.
    exclusion.isObserved ? Snapshot(unsafe storage.pointee) : nil
  }

  /// Notifies the observers of a change; the exclusion must be held.
  func notifyObservers(since old: Value) {
    // Only the holder of the exclusion touches the storage.
    let new = unsafe storage.pointee
    // An observer may end its own or other observations.
    for observer in observers.all { observer.handler?.call(old, new) }
  }

  private func changeObserversInside(_ change: (inout Observers<ChangeHandler<Value>>) -> Void) {
    change(&observers)
    exclusion.isObserved = !observers.isEmpty
  }
}

/// The producer of an asynchronous sequence of changes.
///
/// The sequence ends when this object is released, together with the value.
private final class SerializedFeed<Value: Sendable>: Sendable {
  private let continuation: AsyncStream<Value>.Continuation
  // The iterating task belongs to the parent: a forked child must not resume its copy.
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

/// The observation of a ``Serialized`` value.
///
/// It ends with ``cancel()`` or when this object is released. It does not keep the value alive.
public final class SerializedObservation: Sendable {
  private let lifetime: ObservationLifetime

  init(end: @escaping @Sendable () -> Void) {
    lifetime = ObservationLifetime(end: end)
  }

  /// Ends the observation; further calls do nothing.
  ///
  /// Waits for the access in progress, so that the observer no longer runs when this returns. An
  /// observer, or the closure of an access, can call it too.
  public func cancel() {
    lifetime.cancel()
  }
}

/// A closure for the changes of a value, in a structure, which spares a call the conversion that a
/// closure in a generic object needs.
struct ChangeHandler<Value>: Sendable {
  let call: @Sendable (_ old: Value, _ new: Value) -> Void
}
