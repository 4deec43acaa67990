import CLibrary
import Concurrency

/// A log that writes each failure as one line, and repeats it only after a success or 100 others.
package struct FailureLog<Failure: Equatable & CustomStringConvertible & Sendable>: Sendable {
  private let seen = Lock([Failure]())
  private let output: @Sendable (String) -> Void

  package init(to output: @escaping @Sendable (String) -> Void = writeToStandardError) {
    self.output = output
  }

  /// Writes a failure, unless it is among the latest 100 and has not been forgotten.
  @Sendable package func report(_ failure: Failure) {
    if seen.withLock({ $0.addFailure(failure) }) { output(failure.description) }
  }

  /// Lets a failure be written again if it recurs.
  package func forget(_ failure: Failure) { seen.withLock { $0.removeAll { $0 == failure } } }
}

extension Array where Element: Equatable {
  /// Adds a failure as the latest one, and returns whether it is new.
  ///
  /// Only 100 failures are kept, because each failure may differ, for example by its path.
  @discardableResult
  package mutating func addFailure(_ failure: Element) -> Bool {
    let index = firstIndex(of: failure)
    if let index { remove(at: index) } else if count == 100 { removeFirst() }
    append(failure)
    return index == nil
  }
}
