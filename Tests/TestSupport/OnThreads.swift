import Dispatch
import StorageInternals

/// Calls a closure on as many threads at once, and throws the first error when all are done.
package func onThreads(
  _ count: Int, _ body: @escaping @Sendable (Int) throws -> Void
) throws {
  let failure = Lock<(any Error)?>(nil)
  let group = DispatchGroup()
  for number in 0..<count {
    DispatchQueue(label: "thread \(number)").async(group: group) {
      do {
        try body(number)
      } catch {
        failure.withLock { $0 = $0 ?? error }
      }
    }
  }
  group.wait()
  if let error = failure.withLock({ $0 }) { throw error }
}
