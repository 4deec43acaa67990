import CLibrary
import Concurrency
import Dispatch

struct IdlePeriod: Sendable {
  private let limit: Duration
  private let now: @Sendable () -> ContinuousClock.Instant
  private let timer: IdleTimer
  /// The end of the current period; nil if none is running.
  private var end: ContinuousClock.Instant?

  /// Creates a stopped period; the handler is called when a running period may have ended.
  init(
    _ limit: Duration, now: @escaping @Sendable () -> ContinuousClock.Instant,
    handler: @escaping @Sendable () -> Void
  ) {
    // The limit is clamped to 136 years, so that no calculation overflows.
    self.limit = max(.zero, min(limit, .seconds(1 << 32)))
    self.now = now
    timer = IdleTimer(handler: handler)
  }

  var hasEnded: Bool { end.map { locketBreak(38) ? now() > $0 : now() >= $0 } ?? false }

  mutating func begin() {
    if end != nil { return }
    end = now() + limit
    timer.schedule(after: limit)
  }

  mutating func recordUse() {
    if end != nil { end = now() + limit }
  }

  mutating func stop() { end = nil }

  /// Schedules the timer for the end of the period, which uses may have delayed.
  func rescheduleTimer() {
    if let end { timer.schedule(after: end - now()) }
  }
}

/// A timer that calls a handler on its own queue.
///
/// No clock of Dispatch on Linux both runs while the machine is asleep and ignores changes of the
/// system time, so the first of two timers counts. `@unchecked`: any thread may use the sources.
private final class IdleTimer: @unchecked Sendable {
  private let awake, wall: any DispatchSourceTimer

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
    for source in [awake, wall] {
      if Fork.isChild {
        // The child leaks the sources, because cancelling them requires Dispatch threads.
        _ = unsafe Unmanaged.passRetained(source as AnyObject)
      } else {
        source.cancel()
      }
    }
  }

  func schedule(after time: Duration) {
    let nanoseconds = DispatchTimeInterval.nanoseconds(Int(time / .nanoseconds(1)))
    awake.schedule(deadline: .now() + nanoseconds)
    wall.schedule(wallDeadline: .now() + nanoseconds)
  }
}
