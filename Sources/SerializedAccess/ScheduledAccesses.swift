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

  /// Adds an access; returns true when somebody must be sent who takes it.
  func add(_ access: ScheduledAccess<Value>) -> Bool {
    _ = adding.enter()
    defer { adding.leave() }
    added.append(access)
    if isAwaited { return false }
    isAwaited = true
    // Until all are taken, an access that waits looks here first.
    exclusion.addDetour()
    return true
  }

  /// Puts what was added in line, and returns how many accesses there are to take.
  ///
  /// Who finds none goes home: the next that is added sends for somebody again. To be called only
  /// while the exclusion is held.
  func lineUp() -> Int {
    _ = adding.enter()
    defer { adding.leave() }
    if added.isEmpty {
      // Nothing is to be put in line, which is the most frequent case with a caller's queue.
    } else if oldestLast.isEmpty {
      // Each list keeps its memory for the next time.
      swap(&added, &oldestLast)
      oldestLast.reverse()
    } else {
      oldestLast.insert(contentsOf: added.reversed(), at: 0)
      added.removeAll(keepingCapacity: true)
    }
    if oldestLast.isEmpty, isAwaited {
      isAwaited = false
      exclusion.removeDetour()
    }
    return oldestLast.count
  }

  /// Takes the oldest access that is in line; to be called only while the exclusion is held.
  func takeOldest() -> ScheduledAccess<Value>? {
    oldestLast.popLast()
  }
}
