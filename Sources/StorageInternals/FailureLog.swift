#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Writes one line for each distinct failure.
package struct FailureLog<Failure: Hashable & CustomStringConvertible & Sendable>: Sendable {
  private let seen = Lock(Set<Failure>(), inForkedChild: { [] })
  private let output: @Sendable (String) -> Void

  package init(to output: @escaping @Sendable (String) -> Void = standardError) {
    self.output = output
  }

  @Sendable package func report(_ failure: Failure) {
    if seen.withLock({ $0.insert(failure).inserted }) { output(failure.description) }
  }

  package static var standardError: @Sendable (String) -> Void {
    { line in
      var line = "\(line)\n"
      line.withUTF8 { bytes in
        // Where standard error is closed or full, no other place is left to report to.
        _ = unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count)
      }
    }
  }
}
