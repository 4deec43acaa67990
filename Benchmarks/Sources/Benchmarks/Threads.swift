import Glibc

/// Runs `body` on so many new threads at the same time, and waits for all of them.
func onThreads(_ count: Int, _ body: @escaping @Sendable () -> Void) {
  let threads = (0..<count).map { _ in startThread(body) }
  for thread in threads { pthread_join(thread, nil) }
}

/// Runs `body` while the process has a second thread, which waits.
func withAnotherThread<Result>(_ body: () -> Result) -> Result {
  let lock = BareMutex()
  lock.lock()
  let thread = startThread {
    lock.lock()
    lock.unlock()
  }
  defer {
    lock.unlock()
    pthread_join(thread, nil)
  }
  return body()
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) {
    self.run = run
  }
}

private func startThread(_ body: @escaping @Sendable () -> Void) -> pthread_t {
  var thread = pthread_t()
  let argument = Unmanaged.passRetained(ThreadBody(body)).toOpaque()
  let code = pthread_create(
    &thread, nil,
    { argument in
      if let argument { Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run() }
      return nil
    }, argument)
  if code != 0 { fatalError("The machine gave no further thread (error \(code)).") }
  return thread
}
