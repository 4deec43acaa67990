import Concurrency
import Dispatch

/// How long a vault was not used.
struct IdlePeriod: Sendable {
  private let limit: Duration
  private let now: @Sendable () -> ContinuousClock.Instant
  /// Nil in a forked child, which has no threads for it: there the first access finds out.
  private let timer: IdleTimer?
  /// When the period is over; nil while none is under way, as in a locked vault.
  private var end: ContinuousClock.Instant?

  /// Calls a handler now and then, at the latest when a period is over and the machine is awake.
  init(
    _ limit: Duration, now: @escaping @Sendable () -> ContinuousClock.Instant,
    handler: @escaping @Sendable () -> Void
  ) {
    // No process lives longer, and no calculation overflows.
    self.limit = max(.zero, min(limit, .seconds(1 << 32)))
    self.now = now
    timer = Fork.isChild ? nil : IdleTimer(handler: handler)
  }

  /// Whether a period was under way and is over.
  var isOver: Bool {
    guard let end else { return false }
    return now() >= end
  }

  /// Begins a period if none is under way.
  mutating func begin() {
    if end != nil { return }
    end = now() + limit
    timer?.schedule(after: limit)
  }

  /// Begins the period that is under way anew.
  mutating func noteUse() {
    if end != nil { end = now() + limit }
  }

  mutating func stop() {
    end = nil
  }

  /// Sets the timer for the rest of the period.
  func waitForRest() {
    if let end { timer?.schedule(after: end - now()) }
  }
}

/// Calls a handler when some time is over, on a queue of its own, until it is released.
///
/// `@unchecked`: a dispatch source may be used from any thread.
private final class IdleTimer: @unchecked Sendable {
  /// One by a clock that stops while the machine sleeps, and one by a clock that people set: the
  /// first to be over counts, and Dispatch has none on Linux that does neither.
  private let awake: any DispatchSourceTimer
  private let wall: any DispatchSourceTimer

  init(handler: @escaping @Sendable () -> Void) {
    let queue = DispatchQueue(label: "Locket.IdleTimer")
    awake = DispatchSource.makeTimerSource(queue: queue)
    wall = DispatchSource.makeTimerSource(queue: queue)
    for source in [awake, wall] {
      source.setEventHandler(handler: handler)
      source.activate()
    }
  }

  deinit {
    if Fork.isChild {
      // Ending the parent's sources takes threads of Dispatch: they stay until the child ends.
      _ = unsafe Unmanaged.passRetained(awake as AnyObject)
      _ = unsafe Unmanaged.passRetained(wall as AnyObject)
      return
    }
    awake.cancel()
    wall.cancel()
  }

  func schedule(after time: Duration) {
    let nanoseconds = DispatchTimeInterval.nanoseconds(Int(time / .nanoseconds(1)))
    awake.schedule(deadline: .now() + nanoseconds)
    wall.schedule(wallDeadline: .now() + nanoseconds)
  }
}
