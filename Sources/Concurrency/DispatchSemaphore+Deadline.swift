package import Dispatch

extension DispatchSemaphore {
  /// Waits for a signal; returns false if the deadline passes first.
  package func wait(until deadline: SuspendingClock.Instant) -> Bool {
    // The C library's clock cannot represent longer waits; 1e18 nanoseconds are 31 years.
    let timeout = min(max(.zero, deadline - .now) / .nanoseconds(1), 1e18)
    return wait(timeout: .now() + .nanoseconds(Int(timeout))) == .success
  }
}
