import CLibrary

/// A thread of the C library, because a forked child has no queue that could start one.
final class JoinableThread {
  private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
      self.run = run
    }
  }

  private let thread: pthread_t

  init(_ body: @escaping @Sendable () -> Void) {
    #if canImport(Glibc)
      var thread = pthread_t()
    #else
      var thread: pthread_t?
    #endif
    // Released by the thread.
    let argument = unsafe Unmanaged.passRetained(Body(body)).toOpaque()
    let code = unsafe pthread_create(
      &thread, nil,
      { argument in
        let argument: UnsafeMutableRawPointer? = unsafe argument
        if let argument = unsafe argument {
          unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
        }
        return nil
      }, argument)
    #if canImport(Glibc)
      self.thread = thread
    #else
      unsafe self.thread = thread!
    #endif
    if code != 0 { fatalError("No thread could be started (error \(code)).") }
  }

  func join() {
    // Called once.
    #if canImport(Glibc)
      pthread_join(thread, nil)
    #else
      unsafe pthread_join(thread, nil)
    #endif
  }
}
