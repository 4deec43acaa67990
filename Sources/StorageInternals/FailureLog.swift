import CLibrary
import Concurrency

/// A log that writes one line for each distinct failure, until an access succeeds again.
package struct FailureLog<Failure: Equatable & CustomStringConvertible & Sendable>: Sendable {
  private let seen = Lock([Failure]())
  private let output: @Sendable (String) -> Void

  package init(to output: @escaping @Sendable (String) -> Void = writeToStandardError) {
    self.output = output
  }

  @Sendable package func report(_ failure: Failure) {
    if seen.withLock({ $0.addFailure(failure) }) { output(failure.description) }
  }

  package func forget(_ failure: Failure) { seen.withLock { $0.removeAll { $0 == failure } } }
}

extension Array where Element: Equatable {
  /// Adds a failure as the latest one, and returns whether it is new.
  ///
  /// The oldest of more than 100 is forgotten: a failure may differ each time, as by a path.
  @discardableResult
  package mutating func addFailure(_ failure: Element) -> Bool {
    let index = firstIndex(of: failure)
    if let index { remove(at: index) } else if count == 100 { removeFirst() }
    append(failure)
    return index == nil
  }
}
