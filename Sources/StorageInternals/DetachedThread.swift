import Concurrency

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Starts threads that are not waited for.
enum DetachedThread {
  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }
  }

  /// Runs a closure on a new thread, and returns 0, or the error number if there is none.
  ///
  /// A forked child gets no threads: what they would need may be locked there for ever.
  static func start(_ body: @escaping @Sendable () -> Void) -> Int32 {
    if Fork.isChild { return ENOTSUP }
    // Released by the thread, or below if there is none.
    let work = unsafe Unmanaged.passRetained(Work(body))
    let code = withoutSignals {
      // The mutable copies live until the call returns, and the thread takes over the reference.
      var attributes = pthread_attr_t()
      unsafe pthread_attr_init(&attributes)
      unsafe pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
      defer { unsafe pthread_attr_destroy(&attributes) }
      #if canImport(Glibc)
        var thread = pthread_t()
      #else
        var thread: pthread_t?
      #endif
      return unsafe pthread_create(
        &thread, &attributes,
        { work in
          unsafe Unmanaged<Work>.fromOpaque(work!).takeRetainedValue().body()
          return nil
        }, work.toOpaque())
    }
    if code != 0 { unsafe work.release() }
    return code
  }

  /// Runs a closure while this thread takes no signals: a thread begins with those of its maker,
  /// and an app's handlers and `sigwait` expect theirs on threads of the app.
  ///
  /// Those that a thread causes itself remain, as on the threads of Dispatch: a write of an app's
  /// handler to a closed pipe ends the process.
  private static func withoutSignals(_ body: () -> Int32) -> Int32 {
    var all = sigset_t()
    var previous = sigset_t()
    // The sets live until the calls return.
    unsafe sigfillset(&all)
    for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGPIPE, SIGSYS, SIGPROF] {
      unsafe sigdelset(&all, fault)
    }
    unsafe pthread_sigmask(SIG_SETMASK, &all, &previous)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &previous, nil) }
    return body()
  }
}
