package import CLibrary
import Concurrency

/// A log that writes one line for each distinct failure, until an access succeeds again.
package struct FailureLog<Failure: Hashable & CustomStringConvertible & Sendable>: Sendable {
  private let seen = Lock(Set<Failure>())
  private let output: @Sendable (String) -> Void

  package init(to output: @escaping @Sendable (String) -> Void = writeToStandardError) {
    self.output = output
  }

  @Sendable package func report(_ failure: Failure) {
    if seen.withLock({ $0.insert(failure).inserted }) { output(failure.description) }
  }

  package func forget(_ failure: Failure) { seen.withLock { _ = $0.remove(failure) } }
}
