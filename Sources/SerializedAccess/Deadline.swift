import CLibrary

/// A point in time until which a thread waits for a mutex.
struct Deadline {
  // int pthread_mutex_clocklock(pthread_mutex_t *, clockid_t, const struct timespec *)
  private typealias Lock =
    @convention(c) (
      UnsafeMutablePointer<pthread_mutex_t>, clockid_t, UnsafePointer<timespec>
    ) -> CInt

  // The time for which others may overtake a waiting thread, in nanoseconds: much longer than the
  // about 50 µs of waking one, so that running threads rarely wait for another thread to wake.
  private static let timeout = 300_000

  // Nil in musl and in glibc before 2.30.
  private static let lock = unsafe cFunction("pthread_mutex_clocklock", as: Lock.self)

  // `pthread_mutex_timedlock` only supports the settable clock; setting it back prolongs waits.
  private static let clock = unsafe lock == nil ? CLOCK_REALTIME : CLOCK_MONOTONIC

  static let past = Deadline(time: timespec())

  private var time: timespec

  private init(time: timespec) { self.time = time }

  /// Creates the deadline of an access that begins now, until which other accesses may overtake it.
  init() {
    var now = timespec()
    unsafe clock_gettime(Self.clock, &now)
    let nanoseconds = Int(now.tv_nsec) + Self.timeout
    time = timespec(
      tv_sec: now.tv_sec + nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
  }

  /// Locks a mutex; returns 0 or an error number, which is `ETIMEDOUT` after the deadline.
  func lock(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) -> CInt {
    var time = time
    if let lock = unsafe Self.lock { return unsafe lock(mutex, Self.clock, &time) }
    return unsafe pthread_mutex_timedlock(mutex, &time)
  }
}
