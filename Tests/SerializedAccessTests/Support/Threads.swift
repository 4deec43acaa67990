import SerializedAccess
import TestSupport

/// Runs a closure while another thread accesses a value.
func whileAccessing<Value: Sendable>(
  _ value: Serialized<Value>, _ body: () throws -> Void
) rethrows {
  try whileHeld(by: { wait in value.access { _ in wait() } }, body)
}
