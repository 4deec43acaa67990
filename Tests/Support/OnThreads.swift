package import Concurrency
import Dispatch

/// Calls a closure on `count` threads at once, and throws the first error when all are done.
///
/// `concurrentPerform` would use no more threads than the machine has cores.
package func onThreads<Failure: Error>(
  _ count: Int, _ body: @escaping @Sendable (Int) throws(Failure) -> Void
) throws(Failure) {
  let failure = Lock<Failure?>(nil)
  let group = DispatchGroup()
  for number in 0..<count {
    DispatchQueue(label: "thread \(number)").async(group: group) {
      do throws(Failure) { try body(number) } catch { failure.withLock { $0 = $0 ?? error } }
    }
  }
  group.wait()
  if let error = failure.withLock({ $0 }) { throw error }
}

extension Lock {
  /// Replaces the value, and returns the previous one.
  package func exchange(_ new: Value) -> Value where Value: Sendable {
    withLock { value in
      defer { value = new }
      return value
    }
  }
}

/// Runs a closure while another thread is at the call of the argument of `hold`.
package func whileHeld(
  by hold: @escaping @Sendable (() -> Void) -> Void, _ body: () throws -> Void
) rethrows {
  let isHeld = DispatchSemaphore(value: 0)
  let isOver = DispatchSemaphore(value: 0)
  DispatchQueue(label: "holder").async {
    hold {
      isHeld.signal()
      isOver.wait()
    }
  }
  isHeld.wait()
  defer { isOver.signal() }
  try body()
}
