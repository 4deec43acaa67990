import Concurrency

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// A queue of closures that run one at a time, on a thread that ends when it has nothing to do.
///
/// Unlike a `DispatchQueue`, adding a closure never waits: where no thread can be made, as at the
/// limit `RLIMIT_NPROC`, Dispatch waits for one in the thread that adds work. In a forked child
/// nothing runs.
@safe package final class SerialThread: @unchecked Sendable {
  private struct Job {
    let number: Int
    /// In nanoseconds of the monotonic clock.
    let start: Int
    let body: @Sendable () -> Void
  }

  // `@unchecked`: mutex and condition have fixed addresses because they are allocated by
  // themselves, and the mutex guards all that is variable.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  /// By ascending start.
  private var jobs: [Job] = []
  private var lastNumber = 0
  private var hasThread = false

  /// How long a thread without jobs waits for the next one, in nanoseconds.
  private static let patience = 1_000_000_000

  package init() {
    unsafe mutex = .allocate(capacity: 1)
    unsafe initializeMutex(mutex, PTHREAD_MUTEX_NORMAL)
    unsafe condition = .allocate(capacity: 1)
    unsafe condition.initialize(to: pthread_cond_t())
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    unsafe pthread_cond_init(condition, &attributes)
    unsafe pthread_condattr_destroy(&attributes)
  }

  /// The thread, if there is one, keeps this alive.
  deinit {
    // In a child, the destruction would wait for threads that the child does not have.
    if !Fork.isChild {
      unsafe pthread_cond_destroy(condition)
      unsafe pthread_mutex_destroy(mutex)
    }
    unsafe condition.deallocate()
    unsafe mutex.deallocate()
  }

  /// Runs a closure after those that were added before.
  ///
  /// Without a thread, it waits for the first addition at which one can be made.
  package func run(_ body: @escaping @Sendable () -> Void) {
    _ = add(after: 0, isKept: true, body)
  }

  /// Runs a closure when a time has passed.
  ///
  /// - Returns: A number by which it can be cancelled; nil if there is no thread, and the closure
  ///   never runs.
  package func run(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> Int? {
    add(after: max(0, delay.nanoseconds), isKept: false, body)
  }

  /// Drops a closure, unless it has begun or is about to.
  package func cancel(_ number: Int) {
    if Fork.isChild { return }
    // Released outside of the mutex: releasing what it captured may run an app's code.
    let dropped = locked {
      defer { unsafe pthread_cond_signal(condition) }
      return jobs.firstIndex { $0.number == number }.map { jobs.remove(at: $0) }
    }
    withExtendedLifetime(dropped) {}
  }

  private func add(
    after delay: Int, isKept: Bool, _ body: @escaping @Sendable () -> Void
  ) -> Int? {
    if Fork.isChild { return nil }
    return locked {
      lastNumber += 1
      let (sum, overflow) = Self.now.addingReportingOverflow(delay)
      let job = Job(number: lastNumber, start: overflow ? .max : sum, body: body)
      let place = (jobs.lastIndex { $0.start <= job.start } ?? -1) + 1
      jobs.insert(job, at: place)
      if hasThread {
        unsafe pthread_cond_signal(condition)
      } else {
        hasThread = DetachedThread.start { self.work() } == 0
        if !hasThread, !isKept {
          jobs.remove(at: place)
          return nil
        }
      }
      return lastNumber
    }
  }

  private func work() {
    while let due = waitForDue() {
      for job in due {
        job.body()
        // It forked, and its child has come back here: nothing more runs there.
        if Fork.isChild { return }
      }
    }
  }

  /// The jobs whose time has come; nil when the thread shall end.
  private func waitForDue() -> ArraySlice<Job>? {
    locked {
      var hasWaited = false
      while true {
        let now = Self.now
        guard let first = jobs.first else {
          if hasWaited { break }
          wait(until: now + Self.patience)
          hasWaited = true
          continue
        }
        if first.start > now {
          wait(until: first.start)
          continue
        }
        let due = jobs.prefix { $0.start <= now }
        jobs.removeFirst(due.count)
        return due
      }
      hasThread = false
      return nil
    }
  }

  /// Waits, with the mutex released meanwhile, for a signal or until a time.
  private func wait(until time: Int) {
    var limit = timespec(tv_sec: time / 1_000_000_000, tv_nsec: time % 1_000_000_000)
    unsafe pthread_cond_timedwait(condition, mutex, &limit)
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return body()
  }

  private static var now: Int {
    var time = timespec()
    // Fails for an unknown clock alone.
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}

extension Duration {
  /// The duration in nanoseconds, or the nearest one that fits.
  package var nanoseconds: Int {
    let (seconds, attoseconds) = components
    let (product, overflow) = Int(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isTooLarge) = product.addingReportingOverflow(Int(attoseconds / 1_000_000_000))
    return overflow || isTooLarge ? (seconds < 0 ? .min : .max) : sum
  }
}
