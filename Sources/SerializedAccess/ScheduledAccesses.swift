import Concurrency

/// A scheduled access, which runs while the exclusion is held.
typealias ScheduledAccess<Value> = @Sendable (Serialized<Value>) -> Void

/// The scheduled accesses to one value, oldest first.
///
/// Adding takes a separate lock, which is never held while an app's closure runs: scheduling does
/// not wait for a long access.
final class ScheduledAccesses<Value>: @unchecked Sendable {
  // `@unchecked`: `adding` guards `added`, `addedCount` and `isDraining`; `exclusion` guards
  // `oldestLast` and `takenCount`.
  private let exclusion: Exclusion
  private let adding = Exclusion()
  private var added: [ScheduledAccess<Value>] = []
  private var addedCount = 0
  private var isDraining = false
  private var oldestLast: [ScheduledAccess<Value>] = []
  private var takenCount = 0

  init(of exclusion: Exclusion) {
    self.exclusion = exclusion
  }

  deinit {
    adding.destroy()
  }

  /// The number of accesses ever added.
  var count: Int {
    _ = adding.enter()
    defer { adding.leave() }
    return addedCount
  }

  /// Adds an access; returns true if draining must be started.
  func add(_ access: @escaping ScheduledAccess<Value>) -> Bool {
    _ = adding.enter()
    defer { adding.leave() }
    added.append(access)
    addedCount += 1
    if isDraining { return false }
    isDraining = true
    // Until all are taken, a waiting access checks this list first.
    exclusion.addDetour(Exclusion.Detour.scheduled)
    return true
  }

  /// Takes the oldest access if it is among the first `count` ever added.
  ///
  /// The caller must hold the exclusion.
  func takeOldest(ofFirst count: Int) -> ScheduledAccess<Value>? {
    if takenCount >= count { return nil }
    if oldestLast.isEmpty {
      _ = adding.enter()
      defer { adding.leave() }
      // Swapping keeps the memory of both lists for reuse.
      swap(&added, &oldestLast)
      oldestLast.reverse()
    }
    guard let oldest = oldestLast.popLast() else { return nil }
    takenCount += 1
    return oldest
  }

  /// Ends draining if the list is empty; the next `add` restarts it.
  ///
  /// The caller must hold the exclusion.
  func endDraining() -> Bool {
    if !oldestLast.isEmpty { return false }
    _ = adding.enter()
    defer { adding.leave() }
    if !added.isEmpty { return false }
    if isDraining { exclusion.removeDetour(Exclusion.Detour.scheduled) }
    isDraining = false
    return true
  }
}

/// An access that a suspended task awaits, and that can be cancelled until it begins.
final class SuspendedAccess<Output>: Sendable {
  typealias Continuation = CheckedContinuation<Output, any Error>

  private enum State {
    case created
    case waiting(Continuation)
    case begunOrCancelled
  }

  private let state = Lock(State.created)

  /// Stores the task's continuation; if the access is already cancelled, resumes it immediately and
  /// returns false.
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
  func cancel() {
    begin()?.resume(throwing: CancellationError())
  }
}

/// A copy of the value at one moment, in an object that is created only if needed.
final class Snapshot<Value> {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}
