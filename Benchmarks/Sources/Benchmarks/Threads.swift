import Dispatch
import Glibc

/// Runs `body` on `count` new threads, and returns the time from when all have started until the
/// last one has finished.
func timeOnThreads(_ count: Int, _ body: @escaping @Sendable () -> Void) -> Duration {
  // Accessed only by its own functions, and freed after all threads have ended.
  nonisolated(unsafe) let gate = UnsafeMutablePointer<pthread_barrier_t>.allocate(capacity: 1)
  pthread_barrier_init(gate, nil, UInt32(count + 1))
  let threads = (0..<count).map { _ in
    startThread {
      pthread_barrier_wait(gate)
      body()
    }
  }
  pthread_barrier_wait(gate)
  let time = ContinuousClock().measure {
    for thread in threads { pthread_join(thread, nil) }
  }
  pthread_barrier_destroy(gate)
  gate.deallocate()
  return time
}

/// Runs `body` while the process has a second, waiting thread.
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

/// Waits for asynchronous work that must not fail.
func wait(for work: @escaping @Sendable () async throws -> Void) {
  let isDone = DispatchSemaphore(value: 0)
  Task {
    do {
      try await work()
    } catch {
      fatalError("The benchmark failed: \(error)")
    }
    isDone.signal()
  }
  isDone.wait()
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
