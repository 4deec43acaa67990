import CLibrary
import Concurrency

/// The failure handler of a module, which an app can replace.
package final class FailureHandler<Failure: CustomStringConvertible & Sendable>: Sendable {
  // Each access to a lock's value writes it back, and a bare closure gets another reabstraction
  // thunk each time, until calling it overflows the stack.
  private struct Handler: Sendable {
    let report: @Sendable (Failure) -> Void
  }

  /// The log of the default handler.
  package let log = FailureLog<Failure>()
  // Another thread may have been setting the handler when the process was forked.
  private let handler = Lock(Handler?.none, inForkedChild: { nil })

  package init() {}

  /// The app's handler; nil initially, and in a forked child.
  package var custom: (@Sendable (Failure) -> Void)? { handler.withLock { $0 }?.report }

  /// The app's handler, or the default one.
  package var report: @Sendable (Failure) -> Void {
    get { custom ?? log.report }
    set { handler.withLock { $0 = Handler(report: newValue) } }
  }
}

/// A log that writes each distinct line once; failures may differ and have the same line.
package struct FailureLog<Failure: CustomStringConvertible & Sendable>: Sendable {
  private let seen = Lock(Set<String>(), inForkedChild: { [] })
  private let output: @Sendable (String) -> Void

  package init(to output: @escaping @Sendable (String) -> Void = standardError) {
    self.output = output
  }

  /// Writes a failure, unless it was already written.
  @Sendable package func report(_ failure: Failure) {
    let line = failure.description
    if seen.withLock({ $0.insert(line).inserted }) { output(line) }
  }

  /// Allows a failure that no longer exists to be written again.
  package func forget(_ failure: Failure) { seen.withLock { _ = $0.remove(failure.description) } }

  /// Writes a line to standard error.
  @Sendable package static func standardError(_ line: String) {
    var line = "\(line)\n"
    line.withUTF8 { bytes in
      // An error is ignored, because there is nowhere else to report it.
      _ = unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count)
    }
  }
}
