#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// A point in time until which a thread waits for a mutex.
struct Deadline {
  // int pthread_mutex_clocklock(pthread_mutex_t *, clockid_t, const struct timespec *)
  private typealias Lock =
    @convention(c) (
      UnsafeMutablePointer<pthread_mutex_t>, clockid_t, UnsafePointer<timespec>
    ) -> CInt

  // Time in which a thread may be overtaken by others. Long beside the 50 µs or so in which a
  // thread is woken: that those which run need not wait for that is what makes a contended mutex
  // fast.
  private static let patience = 300_000

  // Hidden by Swift's overlay of the C library, and unknown to musl and to glibc before 2.30.
  private static let lock: Lock? = {
    guard let address = unsafe dlsym(nil, "pthread_mutex_clocklock") else { return nil }
    // The prototype is that of the manual, see above.
    return unsafe unsafeBitCast(address, to: Lock.self)
  }()

  // `pthread_mutex_timedlock` knows only the clock that can be set. Setting it back makes one wait
  // longer, unless the mutex becomes free.
  private static let clock = unsafe lock == nil ? CLOCK_REALTIME : CLOCK_MONOTONIC

  /// A deadline that is over.
  static let past = Deadline(time: timespec())

  private var time: timespec

  private init(time: timespec) {
    self.time = time
  }

  /// The time until which an access that is asked for now may be overtaken.
  init() {
    var now = timespec()
    // Written before the call returns, which cannot fail for these clocks.
    unsafe clock_gettime(Self.clock, &now)
    let nanoseconds = Int(now.tv_nsec) + Self.patience
    time = timespec(
      tv_sec: now.tv_sec + nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
  }

  /// Locks a mutex, and returns the C library's code: `ETIMEDOUT` at the deadline.
  func lock(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) -> CInt {
    var time = time
    // The caller keeps the mutex in its place, and the time outlives the calls.
    if let lock = unsafe Self.lock { return unsafe lock(mutex, Self.clock, &time) }
    return unsafe pthread_mutex_timedlock(mutex, &time)
  }
}
