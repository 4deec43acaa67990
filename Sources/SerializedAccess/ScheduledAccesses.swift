/// A scheduled access, which runs while the access lock is held.
typealias ScheduledAccess<Value> = @Sendable (Serialized<Value>) -> Void

/// The scheduled accesses to one value, oldest first.
///
/// Adding an access requires only a separate lock, so it never waits for a long access.
final class ScheduledAccesses<Value>: @unchecked Sendable {
  // `@unchecked`: `additionLock` guards `added` and `addedCount`, and `accessLock` guards
  // `newestFirst` and `removedCount`.
  private let accessLock: AccessLock
  private let additionLock = AccessLock()
  private var added: [ScheduledAccess<Value>] = []
  private var addedCount = 0
  private var newestFirst: [ScheduledAccess<Value>] = []
  private var removedCount = 0

  init(of accessLock: AccessLock) { self.accessLock = accessLock }

  deinit { additionLock.destroy() }

  /// The number of accesses that were ever added.
  var count: Int {
    _ = additionLock.enter()
    defer { additionLock.leave() }
    return addedCount
  }

  /// Adds an access; returns true if the caller must start draining the list.
  func add(_ access: @escaping ScheduledAccess<Value>) -> Bool {
    _ = additionLock.enter()
    defer { additionLock.leave() }
    added.append(access)
    addedCount += 1
    // The reason changes only under this lock, so it also tells whether the list is being drained.
    if accessLock.hasScheduled { return false }
    // Until the list is empty, each waiting access runs the scheduled accesses first.
    accessLock.addSlowPathReason(AccessLock.SlowPath.scheduled)
    return true
  }

  /// Removes and returns the oldest access if it is one of the first `count` that were added; the
  /// access lock must be held.
  func removeOldest(ofFirst count: Int) -> ScheduledAccess<Value>? {
    // The previous access may have forked; this one runs in the parent.
    accessLock.trapInForkedChild()
    if removedCount >= count { return nil }
    if newestFirst.isEmpty {
      _ = additionLock.enter()
      defer { additionLock.leave() }
      // Swapping the arrays reuses the memory of both.
      swap(&added, &newestFirst)
      newestFirst.reverse()
    }
    guard let oldest = newestFirst.popLast() else { return nil }
    removedCount += 1
    return oldest
  }

  /// Ends draining and returns true if the list is empty; the access lock must be held.
  func endDraining() -> Bool {
    if !newestFirst.isEmpty { return false }
    _ = additionLock.enter()
    defer { additionLock.leave() }
    if !added.isEmpty { return false }
    if accessLock.hasScheduled { accessLock.removeSlowPathReason(AccessLock.SlowPath.scheduled) }
    return true
  }
}
