import CLibrary

/// Threads that are never joined.
package enum DetachedThread {
  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }
  }

  // int pthread_setname_np(pthread_t thread, const char *name)
  private typealias SetName = @convention(c) (pthread_t, UnsafePointer<CChar>) -> CInt

  /// The C library's function, missing in Swift's overlay; nil if the library lacks it.
  private static let setName: SetName? = unsafe dlsym(nil, "pthread_setname_np").map {
    unsafe unsafeBitCast($0, to: SetName.self)
  }

  /// Runs a closure on a new thread.
  ///
  /// A forked child gets no threads: the locks that they need may be locked there permanently.
  ///
  /// - Parameters:
  ///   - name: The thread's name in lists of threads, of at most 15 bytes.
  ///   - body: The work of the thread.
  /// - Returns: 0, or the error number if there is no thread.
  package static func start(
    named name: StaticString = "locket", _ body: @escaping @Sendable () -> Void
  ) -> Int32 {
    if Fork.isChild { return ENOTSUP }
    // Released by the thread, or below if there is no thread.
    let work = unsafe Unmanaged.passRetained(
      Work {
        // The name outlives the call, and the thread exists.
        _ = unsafe setName?(pthread_self(), "\(name)")
        body()
      })
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

  /// Runs a closure with signals blocked on this thread.
  ///
  /// A new thread inherits the mask; an app's handlers and `sigwait` need signals on app threads.
  /// Signals that a thread causes itself stay unblocked, as on Dispatch's threads: a write to a
  /// closed pipe in an app's handler ends the process.
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

/// The identity of a running thread; a later thread may get the same one.
@safe package struct ThreadIdentity: Hashable, @unchecked Sendable {
  // `@unchecked`: with some C libraries it is a pointer, which is only compared.
  private let thread = pthread_self()

  package static var current: ThreadIdentity { ThreadIdentity() }
}
