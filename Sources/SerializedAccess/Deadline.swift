import CLibrary

/// A point in time until which a thread waits for the lock of a value.
struct Deadline {
  // The settable clock would prolong waits when it is set back.
  private static let clock = CLOCK_MONOTONIC

  // The time for which others may overtake a waiting thread, in nanoseconds: much longer than the
  // about 50 µs of waking one, so that running threads rarely wait for another thread to wake.
  private static let timeout = 300_000

  let time: timespec

  /// Creates the deadline of an access that begins now, until which other accesses may overtake it.
  init() {
    var now = timespec()
    unsafe clock_gettime(Self.clock, &now)
    let nanoseconds = Int(now.tv_nsec) + Self.timeout
    time = timespec(
      tv_sec: now.tv_sec + nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
  }

  /// Initializes a condition variable for waits until a deadline.
  static func initializeCondition(_ condition: UnsafeMutablePointer<pthread_cond_t>) {
    unsafe condition.initialize(to: pthread_cond_t())
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    unsafe pthread_condattr_setclock(&attributes, clock)
    unsafe pthread_cond_init(condition, &attributes)
    unsafe pthread_condattr_destroy(&attributes)
  }
}
