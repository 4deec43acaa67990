import CLibrary

/// The signal mask of the current thread; threads of Dispatch block nearly all signals.
enum ThreadSignals {
  /// Calls a closure while the given signals are unblocked.
  static func unblocking<Result, Failure: Error>(
    _ numbers: [Int32], _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var set = sigset_t()
    var old = sigset_t()
    unsafe sigemptyset(&set)
    for number in numbers { unsafe sigaddset(&set, number) }
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, &old)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &old, nil) }
    return try body()
  }
}
