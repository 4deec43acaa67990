import CLibrary
import SerializedAccess
import TestSupport

/// Runs a closure while another thread accesses a value.
func whileAccessing<Value: Sendable>(
  _ value: Serialized<Value>, _ body: () throws -> Void
) rethrows {
  try whileHeld(by: { wait in value.access { _ in wait() } }, body)
}

/// Starts a thread of the C library, because a forked child has no queue that could start one.
func startThread(_ body: @escaping @Sendable () -> Void) {
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
}

private final class Work: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
