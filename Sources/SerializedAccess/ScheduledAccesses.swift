/// An access that waits for its turn.
struct ScheduledAccess<Value>: Sendable {
  /// Says, when the turn has come, whether the access still takes place; nil if it always does.
  var begin: (@Sendable () -> Bool)?
  var body: @Sendable (inout Value) -> Void
}

/// The accesses to one value that wait for their turn.
///
/// Adding takes a lock of its own, which is never held while anybody's closure runs: an access is
/// scheduled at once even while a long one is under way.
final class ScheduledAccesses<Value>: @unchecked Sendable {
  // `@unchecked`: `added` and `isAwaited` are reached only under `adding`, and `oldestLast` only by
  // who holds `exclusion`.
  private let exclusion: Exclusion
  private let adding = Exclusion()
  private var added: [ScheduledAccess<Value>] = []
  private var isAwaited = false
  private var oldestLast: [ScheduledAccess<Value>] = []

  init(of exclusion: Exclusion) {
    self.exclusion = exclusion
  }

  deinit {
    adding.destroy()
  }

  /// Adds an access; returns true when nobody is on the way who will take it.
  func add(_ access: ScheduledAccess<Value>) -> Bool {
    _ = adding.enter()
    defer { adding.leave() }
    // Counted before it can be taken, so that the count never falls short.
    exclusion.addDetour()
    added.append(access)
    defer { isAwaited = true }
    return !isAwaited
  }

  /// Takes the oldest access; to be called only while the exclusion is held.
  func takeOldest() -> ScheduledAccess<Value>? {
    if oldestLast.isEmpty {
      _ = adding.enter()
      swap(&added, &oldestLast)
      // Who finds nothing goes home, and the next who adds sends for somebody again.
      if oldestLast.isEmpty { isAwaited = false }
      adding.leave()
      oldestLast.reverse()
    }
    guard let oldest = oldestLast.popLast() else { return nil }
    exclusion.removeDetour()
    return oldest
  }
}
