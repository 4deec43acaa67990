import CLibrary
import Concurrency

/// A log that writes one line for each distinct failure.
package struct FailureLog<Failure: Hashable & CustomStringConvertible & Sendable>: Sendable {
  private let seen = Lock(Set<Failure>(), inForkedChild: { [] })
  private let output: @Sendable (String) -> Void

  package init(to output: @escaping @Sendable (String) -> Void = standardError) {
    self.output = output
  }

  @Sendable package func report(_ failure: Failure) {
    if seen.withLock({ $0.insert(failure).inserted }) { output(failure.description) }
  }

  @Sendable package static func standardError(_ line: String) {
    var line = "\(line)\n"
    line.withUTF8 { bytes in
      // An error is ignored, because it cannot be reported anywhere else.
      _ = unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count)
    }
  }
}
