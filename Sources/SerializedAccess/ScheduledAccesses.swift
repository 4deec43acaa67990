import Concurrency

/// A scheduled access, which runs while the access lock is held.
typealias ScheduledAccess<Value> = @Sendable (Serialized<Value>) -> Void

/// The scheduled accesses to one value, oldest first.
///
/// Adding an access takes a separate lock that is never held while a closure of the app runs, so
/// scheduling never waits for a long access.
final class ScheduledAccesses<Value>: @unchecked Sendable {
  // `@unchecked`: `adding` guards `added`, `addedCount` and `isDraining`; `lock` guards
  // `newestFirst` and `takenCount`.
  private let lock: AccessLock
  private let adding = AccessLock()
  private var added: [ScheduledAccess<Value>] = []
  private var addedCount = 0
  private var isDraining = false
  private var newestFirst: [ScheduledAccess<Value>] = []
  private var takenCount = 0

  init(of lock: AccessLock) { self.lock = lock }

  deinit { adding.destroy() }

  /// The total number of accesses that were added.
  var count: Int {
    _ = adding.enter()
    defer { adding.leave() }
    return addedCount
  }

  /// Adds an access; returns true if the caller must start draining the list.
  func add(_ access: @escaping ScheduledAccess<Value>) -> Bool {
    _ = adding.enter()
    defer { adding.leave() }
    added.append(access)
    addedCount += 1
    if isDraining { return false }
    isDraining = true
    // Until the list is empty, each access that waits runs the scheduled accesses first.
    lock.addSlowPathReason(AccessLock.SlowPath.scheduled)
    return true
  }

  /// Removes and returns the oldest access if it is one of the first `count` accesses that were
  /// added; the access lock must be held.
  func takeOldest(ofFirst count: Int) -> ScheduledAccess<Value>? {
    if takenCount >= count { return nil }
    if newestFirst.isEmpty {
      _ = adding.enter()
      defer { adding.leave() }
      // Swapping the arrays reuses the memory of both.
      swap(&added, &newestFirst)
      newestFirst.reverse()
    }
    guard let oldest = newestFirst.popLast() else { return nil }
    takenCount += 1
    return oldest
  }

  /// Ends draining, until the next `add`, and returns true if the list is empty; the access lock
  /// must be held.
  func endDraining() -> Bool {
    if !newestFirst.isEmpty { return false }
    _ = adding.enter()
    defer { adding.leave() }
    if !added.isEmpty { return false }
    if isDraining { lock.removeSlowPathReason(AccessLock.SlowPath.scheduled) }
    isDraining = false
    return true
  }
}

/// A scheduled access that a suspended task awaits; it can be cancelled until it begins.
final class SuspendedAccess<Output>: Sendable {
  typealias Continuation = CheckedContinuation<Output, any Error>

  private enum State {
    case created
    case waiting(Continuation)
    case begunOrCancelled
  }

  private let state = Lock(State.created)

  /// Stores the continuation of the task; if the access is already cancelled, resumes the
  /// continuation and returns false.
  func wait(with continuation: Continuation) -> Bool {
    let isWaiting = state.withLock { state in
      guard case .created = state else { return false }
      state = .waiting(continuation)
      return true
    }
    if !isWaiting { continuation.resume(throwing: CancellationError()) }
    return isWaiting
  }

  /// Begins the access and returns the continuation to resume; nil if it was cancelled.
  func begin() -> Continuation? {
    state.withLock { state in
      defer { state = .begunOrCancelled }
      guard case .waiting(let continuation) = state else { return nil }
      return continuation
    }
  }

  /// Cancels the access if it has not begun.
  func cancel() { begin()?.resume(throwing: CancellationError()) }
}
