import CLibrary

/// A point in time until which a thread waits for a mutex.
struct Deadline {
  // int pthread_mutex_clocklock(pthread_mutex_t *, clockid_t, const struct timespec *)
  private typealias Lock =
    @convention(c) (
      UnsafeMutablePointer<pthread_mutex_t>, clockid_t, UnsafePointer<timespec>
    ) -> CInt

  // How long other threads may overtake a waiting thread, in nanoseconds. Much longer than the 50
  // µs or so of a wake-up: a contended mutex is fast because running threads do not wait for one.
  private static let patience = 300_000

  // Hidden by Swift's overlay of the C library; missing in musl and in glibc before 2.30.
  private static let lock: Lock? = {
    guard let address = unsafe dlsym(nil, "pthread_mutex_clocklock") else { return nil }
    // The prototype is that of the manual, see above.
    return unsafe unsafeBitCast(address, to: Lock.self)
  }()

  // `pthread_mutex_timedlock` uses only the settable clock. Setting that clock back lengthens a
  // wait, unless the mutex becomes free.
  private static let clock = unsafe lock == nil ? CLOCK_REALTIME : CLOCK_MONOTONIC

  /// A deadline in the past.
  static let past = Deadline(time: timespec())

  private var time: timespec

  private init(time: timespec) {
    self.time = time
  }

  /// Creates the time until which other accesses may overtake one that begins now.
  init() {
    var now = timespec()
    // Written before the call returns; the call cannot fail for these clocks.
    unsafe clock_gettime(Self.clock, &now)
    let nanoseconds = Int(now.tv_nsec) + Self.patience
    time = timespec(
      tv_sec: now.tv_sec + nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
  }

  /// Locks a mutex and returns the C library's code: `ETIMEDOUT` at the deadline.
  func lock(_ mutex: UnsafeMutablePointer<pthread_mutex_t>) -> CInt {
    var time = time
    // The caller keeps the mutex at a fixed address, and `time` outlives the calls.
    if let lock = unsafe Self.lock { return unsafe lock(mutex, Self.clock, &time) }
    return unsafe pthread_mutex_timedlock(mutex, &time)
  }
}
