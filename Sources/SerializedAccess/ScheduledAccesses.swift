/// A scheduled access.
///
/// In a list of closures, each closure would need another one that converts its parameter.
@usableFromInline struct ScheduledAccess: Sendable {
  /// Performs the access to the value that is passed, while the access lock is held.
  let perform: @Sendable (AnyObject) -> Void

  @usableFromInline init(_ perform: @escaping @Sendable (AnyObject) -> Void) {
    self.perform = perform
  }
}

/// The scheduled accesses to one value, oldest first.
///
/// Adding an access requires only a separate lock, so it never waits for a long access. The list is
/// not generic: looking up the types of its elements would take longer than all the rest.
final class ScheduledAccesses: @unchecked Sendable {
  // `@unchecked`: `additionLock` guards `added` and `addedCount`, and `accessLock` guards
  // `newestFirst` and `removedCount`. They need no exclusivity checks at run time.
  private let accessLock: AccessLock
  private let additionLock = AccessLock()
  @exclusivity(unchecked) private var added: [ScheduledAccess] = []
  @exclusivity(unchecked) private var addedCount = 0
  @exclusivity(unchecked) private var newestFirst: [ScheduledAccess] = []
  @exclusivity(unchecked) private var removedCount = 0

  init(of accessLock: AccessLock) { self.accessLock = accessLock }

  deinit { additionLock.destroy() }

  /// The number of accesses that were ever added.
  var count: Int {
    _ = additionLock.enter()
    defer { additionLock.leave() }
    return unsafe addedCount
  }

  /// Adds an access; returns true if the caller must start draining the list.
  func add(_ access: ScheduledAccess) -> Bool {
    _ = additionLock.enter()
    defer { additionLock.leave() }
    unsafe added.append(access)
    unsafe addedCount += 1
    // The reason changes only under this lock, so it also tells whether the list is being drained.
    if accessLock.hasScheduled { return false }
    // Until the list is empty, each waiting access runs the scheduled accesses first.
    accessLock.addSlowPathReason(AccessLock.SlowPath.scheduled)
    return true
  }

  /// Removes and returns the oldest access if it is one of the first `count` that were added; the
  /// access lock must be held.
  func removeOldest(ofFirst count: Int) -> ScheduledAccess? {
    // The previous access may have forked; this one runs in the parent.
    accessLock.trapInForkedChild()
    if unsafe removedCount >= count { return nil }
    if unsafe newestFirst.isEmpty {
      _ = additionLock.enter()
      defer { additionLock.leave() }
      // Swapping the arrays reuses the memory of both.
      unsafe swap(&added, &newestFirst)
      unsafe newestFirst.reverse()
    }
    guard let oldest = unsafe newestFirst.popLast() else { return nil }
    unsafe removedCount += 1
    return oldest
  }

  /// Ends draining and returns true if the list is empty; the access lock must be held.
  func endDraining() -> Bool {
    if unsafe !newestFirst.isEmpty { return false }
    _ = additionLock.enter()
    defer { additionLock.leave() }
    if unsafe !added.isEmpty { return false }
    if accessLock.hasScheduled { accessLock.removeSlowPathReason(AccessLock.SlowPath.scheduled) }
    return true
  }
}
