import CLibrary

/// A thread that is never joined.
package enum DetachedThread {
  private typealias Work = Box<@Sendable () -> Void>

  // int pthread_setname_np(pthread_t thread, const char *name)
  private typealias SetName = @convention(c) (pthread_t, UnsafePointer<CChar>) -> CInt

  // Not visible in Swift's overlay of the C library; nil if the library does not have it.
  private static let setName: SetName? = unsafe dlsym(nil, "pthread_setname_np").map {
    unsafe unsafeBitCast($0, to: SetName.self)
  }

  /// Runs a closure on a new thread with a name of at most 15 bytes; returns 0 or an error number.
  package static func start(
    named name: StaticString = "locket", _ body: @escaping @Sendable () -> Void
  ) -> Int32 {
    // Released by the thread, or below if none was created.
    let work = unsafe Unmanaged.passRetained(
      Work {
        _ = unsafe setName?(pthread_self(), "\(name)")
        body()
      })
    let code = withoutSignals {
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
          unsafe Unmanaged<Work>.fromOpaque(work!).takeRetainedValue().value()
          return nil
        }, work.toOpaque())
    }
    if code != 0 { unsafe work.release() }
    return code
  }

  /// Runs a closure while signals are blocked on this thread, whose mask a new thread inherits.
  ///
  /// Those that a thread causes itself, such as SIGPIPE, are not blocked, as on Dispatch's threads.
  private static func withoutSignals(_ body: () -> Int32) -> Int32 {
    var all = sigset_t()
    var previous = sigset_t()
    unsafe sigfillset(&all)
    for signal in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGPIPE, SIGSYS, SIGPROF] {
      unsafe sigdelset(&all, signal)
    }
    unsafe pthread_sigmask(SIG_SETMASK, &all, &previous)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &previous, nil) }
    return body()
  }
}
