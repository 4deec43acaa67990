import Concurrency
import Dispatch

// Observers, and the asynchronous sequence of values.
extension Serialized where Value: Sendable {
  /// Calls a closure with the old and new value after each change, until the result is released.
  ///
  /// The closure runs as part of the access that made the change, on its thread or on the custom
  /// queue, and must not access the value. Observers therefore receive all changes in order, and
  /// other accesses wait for them. Each assignment, in-place change and `access { … }` counts as a
  /// change, even if the value remains the same.
  ///
  /// If a value has observers, an in-place change first copies the old value.
  public func observe(
    _ observer: @escaping @Sendable (_ old: Value, _ new: Value) -> Void
  ) -> SerializedObservation {
    let observer = Observer<ChangeHandler<Value>>(observer)
    changeObservers { $0.add(observer) }
    return SerializedObservation(end: observer.end { [weak self] in self?.remove($0) })
  }

  /// The current value, and the new value after each later change.
  ///
  /// Getting this property is one access, and creates a sequence for one consumer. A slow consumer
  /// misses changes, but never the newest value. The sequence does not retain the value, and ends
  /// when the value is released or the consumer's task is cancelled.
  public var values: AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Value.self, bufferingPolicy: .bufferingNewest(1))
    let feed = SerializedFeed(continuation)
    let observer = Observer<ChangeHandler<Value>> { _, new in feed.continuation.yield(new) }
    // Both steps are a single access, so that no change between the first two elements is lost.
    performInOrder {
      continuation.yield(unsafe storage.pointee)
      changeObserversWhileLocked { $0.add(observer) }
    }
    let end = observer.end { [weak self] in self?.remove($0) }
    continuation.onTermination = { _ in end() }
    return stream
  }

  private func remove(_ observer: Observer<ChangeHandler<Value>>) {
    // A stream that the parent created may end in the child.
    if lock.isInForkedChild { return }
    changeObservers { $0.remove(observer) }
  }

  /// Changes the list between two accesses, or in the current access of the calling thread.
  ///
  /// If an access lasts past a deadline, the change is also scheduled. Waiting for the scheduled
  /// change alone could deadlock, because work on the queue may wait for the calling thread. So the
  /// closure can be called twice; the second call must have no effect.
  private func changeObservers(
    _ change: @escaping @Sendable (inout Observers<ChangeHandler<Value>>) -> Void
  ) {
    let changed = DispatchSemaphore(value: 0)
    var isScheduled = false
    repeat {
      let entry = lock.enter(until: Deadline())
      if entry != .timedOut {
        changeObserversWhileLocked(change)
        if entry == .entered { lock.leave() }
        return
      }
      if !isScheduled {
        schedule { serialized in
          serialized.changeObserversWhileLocked(change)
          changed.signal()
        }
        isScheduled = true
      }
    } while changed.wait(timeout: .now() + .milliseconds(1)) == .timedOut
  }
}

extension Serialized {
  /// Returns a copy of the value for `notifyObservers(since:)`; the access lock must be held.
  @usableFromInline @inline(never)
  func snapshotForObservers() -> AnyObject { Box(unsafe storage.pointee) }

  @usableFromInline @inline(never)
  func notifyObservers(since snapshot: AnyObject) {
    guard let snapshot = snapshot as? Box<Value> else { return }
    notifyObservers(since: snapshot.value)
  }

  func notifyObservers(since old: Value) {
    // The access may have forked.
    lock.trapInForkedChild()
    let new = unsafe storage.pointee
    // An observer may end its own observation or others.
    for observer in observers.all { observer.handler?(old, new) }
  }

  private func changeObserversWhileLocked(_ change: (inout Observers<ChangeHandler<Value>>) -> Void)
  {
    change(&observers)
    lock.isObserved = !observers.isEmpty
  }
}

/// The producer of a sequence of changes, which ends when this object is released with the value.
package final class SerializedFeed<Value: Sendable>: Sendable {
  package let continuation: AsyncStream<Value>.Continuation

  package init(_ continuation: AsyncStream<Value>.Continuation) { self.continuation = continuation }

  deinit {
    // The consuming task only exists in the parent, so a forked child must not resume it.
    if !Fork.isChild { continuation.finish() }
  }
}

typealias ChangeHandler<Value> = @Sendable (_ old: Value, _ new: Value) -> Void

/// An observation of a ``Serialized`` value, which it does not retain.
///
/// The observation ends when ``cancel()`` is called or this object is released.
public final class SerializedObservation: Sendable {
  private let lifetime: ObservationLifetime

  init(end: @escaping @Sendable () -> Void) { lifetime = ObservationLifetime(end: end) }

  /// Ends the observation; further calls do nothing.
  ///
  /// This method waits for the access in progress, so the observer is not running when the method
  /// returns. An observer or the closure of an access can also call this method.
  public func cancel() { lifetime.cancel() }
}
