import CLibrary
package import Testing

/// Expects that work takes time linear in its input.
///
/// Sixteen times the input may take 80 times as long, where quadratic work takes 256 times as long.
/// Only the CPU time of this thread counts, and only the fastest of a few tries.
package func expectLinear<Input>(
  _ name: String, from count: Int, _ make: (Int) -> Input,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ work: (Input) throws -> Void
) rethrows {
  let inputs = (make(count), make(16 * count))
  var times = (UInt64.max, UInt64.max)
  for _ in 0..<5 {
    times.0 = min(times.0, try processorTime { try work(inputs.0) })
    times.1 = min(times.1, try processorTime { try work(inputs.1) })
    // One-time work, such as loading, must not count.
    if times.1 <= 80 * max(times.0, 100_000) { return }
  }
  Issue.record(
    "\(name): \(times.0) ns, and \(times.1) ns for sixteen times as much",
    sourceLocation: sourceLocation)
}

/// Returns the CPU time of this thread, in nanoseconds.
private func processorTime(_ work: () throws -> Void) rethrows -> UInt64 {
  func now() -> UInt64 {
    var time = timespec()
    // The structure lives as long as the call.
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
  let start = now()
  try work()
  return now() - start
}
