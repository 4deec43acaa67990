import CLibrary
import SerializedAccess
import TestSupport

/// Runs a closure while another thread accesses a value.
func whileAccessing<Value: Sendable>(
  _ value: Serialized<Value>, _ body: () throws -> Void
) rethrows {
  try whileHeld(by: { wait in value.access { _ in wait() } }, body)
}

/// Calls a closure on threads of the C library, because a forked child has no queue that could
/// start any, and waits until they have ended.
func onThreadsOfAChild(_ count: Int, _ body: @escaping @Sendable () -> Void) {
  for thread in (0..<count).map({ _ in startThread(body) }) { pthread_join(thread, nil) }
}

private func startThread(_ body: @escaping @Sendable () -> Void) -> pthread_t {
  #if canImport(Glibc)
    var thread = pthread_t()
  #else
    var thread: pthread_t?
  #endif
  // Released by the thread.
  let argument = unsafe Unmanaged.passRetained(Work(body)).toOpaque()
  let code = unsafe pthread_create(
    &thread, nil,
    { argument in
      let argument: UnsafeMutableRawPointer? = unsafe argument
      if let argument = unsafe argument {
        unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
      }
      return nil
    }, argument)
  if code != 0 { fatalError("No thread could be started (error \(code)).") }
  #if canImport(Glibc)
    return thread
  #else
    return thread!
  #endif
}

private final class Work: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
