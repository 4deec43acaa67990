/// A scheduled access.
struct ScheduledAccess<Value>: Sendable {
  /// Says, when all accesses before are done, whether this one still takes place; nil if it always
  /// does.
  var begin: (@Sendable () -> Bool)?
  var body: @Sendable (inout Value) -> Void
}

/// The scheduled accesses to one value, oldest first.
///
/// Adding takes a lock of its own, which is never held while an app's closure runs: an access is
/// scheduled at once even while a long one is under way.
final class ScheduledAccesses<Value>: @unchecked Sendable {
  // `@unchecked`: `added`, `addedCount` and `isDraining` are guarded by `adding`, `oldestLast` and
  // `takenCount` by `exclusion`.
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

  /// The number of accesses that were ever added.
  var count: Int {
    _ = adding.enter()
    defer { adding.leave() }
    return addedCount
  }

  /// Adds an access; returns true when draining must be started.
  func add(_ access: ScheduledAccess<Value>) -> Bool {
    _ = adding.enter()
    defer { adding.leave() }
    added.append(access)
    addedCount += 1
    if isDraining { return false }
    isDraining = true
    // Until all are taken, an access that waits looks here first.
    exclusion.addDetour(Exclusion.Detour.scheduled)
    return true
  }

  /// Takes the oldest access if it is among the first `count` that were ever added.
  ///
  /// To be called only while the exclusion is held.
  func takeOldest(ofFirst count: Int) -> ScheduledAccess<Value>? {
    if takenCount >= count { return nil }
    if oldestLast.isEmpty {
      _ = adding.enter()
      defer { adding.leave() }
      // Each list keeps its memory for the next time.
      swap(&added, &oldestLast)
      oldestLast.reverse()
    }
    guard let oldest = oldestLast.popLast() else { return nil }
    takenCount += 1
    return oldest
  }

  /// Ends draining if the list is empty; the next `add` restarts it.
  ///
  /// To be called only while the exclusion is held.
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
