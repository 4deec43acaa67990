import Concurrency
import Dispatch

/// The idle timeout of a vault.
struct IdlePeriod: Sendable {
  private let limit: Duration
  private let now: @Sendable () -> ContinuousClock.Instant
  /// Nil in a forked child, which has no threads for a timer; its next access checks `isOver`.
  private let timer: IdleTimer?
  /// The end of the running period; nil if none is running, as in a locked vault.
  private var end: ContinuousClock.Instant?

  /// Creates a stopped period; the handler runs by its end, or when the machine wakes up after it.
  init(
    _ limit: Duration, now: @escaping @Sendable () -> ContinuousClock.Instant,
    handler: @escaping @Sendable () -> Void
  ) {
    // Clamped to 136 years, so that no calculation overflows.
    self.limit = max(.zero, min(limit, .seconds(1 << 32)))
    self.now = now
    timer = Fork.isChild ? nil : IdleTimer(handler: handler)
  }

  /// Whether a period was running and has ended.
  var isOver: Bool {
    guard let end else { return false }
    return now() >= end
  }

  /// Starts a period unless one is running.
  mutating func begin() {
    if end != nil { return }
    end = now() + limit
    timer?.schedule(after: limit)
  }

  /// Restarts the running period.
  mutating func recordUse() {
    if end != nil { end = now() + limit }
  }

  mutating func stop() {
    end = nil
  }

  /// Reschedules the timer for the rest of the period.
  func waitForRest() {
    if let end { timer?.schedule(after: end - now()) }
  }
}

/// A timer that calls a handler on its own queue until it is released.
///
/// `@unchecked`: a dispatch source may be used from any thread.
private final class IdleTimer: @unchecked Sendable {
  /// One clock stops while the machine sleeps, the other follows the system time: the first to end
  /// counts, because Dispatch has no clock on Linux without either drawback.
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
      // Cancelling the parent's sources needs Dispatch threads, so the child leaks them.
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
