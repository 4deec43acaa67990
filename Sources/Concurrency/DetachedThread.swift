import CLibrary

/// A thread that is never joined.
package enum DetachedThread {
  private typealias Work = Box<@Sendable () -> Void>

  // int pthread_setname_np(pthread_t thread, const char *name)
  private typealias SetName = @convention(c) (pthread_t, UnsafePointer<CChar>) -> CInt

  private static let setName = unsafe cFunction("pthread_setname_np", as: SetName.self)

  /// Runs a closure on a new thread with a name of at most 15 bytes; returns 0 or an error number.
  package static func start(
    named name: StaticString = "locket", _ body: @escaping @Sendable () -> Void
  ) -> Int32 {
    // The thread releases the closure; if no thread was created, the code below does.
    let work = unsafe Unmanaged.passRetained(
      Work {
        _ = unsafe setName?(pthread_self(), "\(name)")
        body()
      })
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    unsafe pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
    defer { unsafe pthread_attr_destroy(&attributes) }
    #if canImport(Glibc)
      var thread = pthread_t()
    #else
      var thread: pthread_t?
    #endif
    // The thread inherits the mask, which, as in Dispatch, excludes signals that a thread causes.
    var blocked = sigset_t()
    var previous = sigset_t()
    unsafe sigfillset(&blocked)
    for signal in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGPIPE, SIGSYS, SIGPROF] {
      unsafe sigdelset(&blocked, signal)
    }
    unsafe pthread_sigmask(SIG_SETMASK, &blocked, &previous)
    let code = unsafe pthread_create(
      &thread, &attributes,
      { work in
        unsafe Unmanaged<Work>.fromOpaque(work!).takeRetainedValue().value()
        return nil
      }, work.toOpaque())
    unsafe pthread_sigmask(SIG_SETMASK, &previous, nil)
    if code != 0 { unsafe work.release() }
    return code
  }
}
